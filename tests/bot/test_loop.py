"""The loop of model, tools and citations, over a real database and a chat server on loopback."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.agent import Answered, Thread
from bot.core import Core, open_core
from bot.database import Database
from bot.question import parse
from bot.settings import Settings
from tests.chat_server import ChatServer, Reply, chat_server, tool_call

ASKED = "How do I roll back a deploy?"
FAR = "Which wine goes with roast chicken?"
ID = re.compile(r'<<<passage id="(S\w+)"')


@pytest.fixture
async def chat() -> AsyncGenerator[ChatServer]:
    """A chat server that says what the test tells it to."""
    async with chat_server() as running:
        yield running


@asynccontextmanager
async def opened(url: str, chat: ChatServer, **more: Any) -> AsyncGenerator[Core]:
    """The bot's core with this server as its model."""
    values = {"FOOTNOTE_DATABASE_URL": url, "model_url": chat.url, "model": "scripted", **more}
    async with open_core(Settings.model_validate(values), Database(url, None)) as core:
        yield core


async def asked(core: Core, text: str, thread: Thread | None = None) -> Answered:
    """What the agent makes of a question."""
    return await core.agent.answer(parse(text), thread or Thread())


def ids(messages: list[Any]) -> list[str]:
    """The ids of the passages in a conversation."""
    return ID.findall("\n".join(str(each["content"]) for each in messages))


def cites(text: str) -> Any:
    """Make the server answer with a text in which {0} is the first id of the conversation."""

    def script(messages: list[Any]) -> Reply:
        return Reply(text.format(*ids(messages)))

    return script


def kinds(answered: Answered) -> list[str]:
    """The kinds of the steps."""
    return [step.kind for step in answered.steps]


async def test_an_ordinary_question_costs_one_call(corpus_url: str, chat: ChatServer) -> None:
    """The first search's passages are in the first prompt; the answer cites one, numbered."""
    chat.by = cites("Pick the last good build and roll back to it [{0}].")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    outcome = answered.outcome
    assert len(chat.asked) == 1
    assert outcome.stop_reason == "cited"
    assert outcome.answer.startswith("Pick the last good build and roll back to it [1].")
    assert [each.marker for each in outcome.citations] == [1]
    assert outcome.citations[0].passage in outcome.passages
    assert outcome.model == "scripted"
    assert kinds(answered) == ["search", "model", "verdict"]
    assert chat.asked[0].said.endswith(ASKED)


async def test_no_match_leaves_a_search_in_other_words(corpus_url: str, chat: ChatServer) -> None:
    """The question's words find nothing, the model's do: that is what is cited, and logged."""

    def script(messages: list[Any]) -> Reply:
        if found := ids(messages):
            return Reply(f"Roll back [{found[0]}].")
        return Reply(calls=(tool_call("search", {"query": ASKED}),))

    chat.by = script
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, FAR)
    assert answered.outcome.stop_reason == "cited"
    assert [each.query for each in answered.outcome.searched] == [FAR, ASKED]
    assert [event.kind for event in answered.events] == ["tool_call", "tool_result"]
    first = chat.asked[0]
    assert not ids(first.messages)


async def test_no_match_is_the_end_when_no_search_passes(corpus_url: str, chat: ChatServer) -> None:
    """However sure a model is, without a passage there is no answer, and no correction."""
    chat.calls("search", {"query": "Which cheese?"})
    chat.says("Chardonnay goes well.")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, FAR)
    assert answered.outcome.stop_reason == "no_match"
    assert answered.outcome.nearest
    assert len(chat.asked) == 2


async def test_the_model_may_say_no_match(corpus_url: str, chat: ChatServer) -> None:
    """Passages that don't answer the question are none: the model's word for it is taken."""
    chat.says("NO_MATCH")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert answered.outcome.stop_reason == "no_match"


async def test_one_correction_and_never_a_second(corpus_url: str, chat: ChatServer) -> None:
    """A model that won't cite is told once; then the closest chunks are shown, not its words."""
    chat.says("Just roll back the build.")
    chat.says("Really, just roll back the build.")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert answered.outcome.stop_reason == "uncited"
    assert not answered.outcome.answer
    assert answered.outcome.passages
    assert len(chat.asked) == 2
    assert "Just roll back the build." in chat.asked[1].said
    assert "tools" not in chat.asked[1].body
    assert kinds(answered) == ["search", "model", "verdict", "correction", "model", "verdict"]
    assert [event.kind for event in answered.events] == ["correction"]


async def test_a_corrected_answer_is_shown(corpus_url: str, chat: ChatServer) -> None:
    """After the correction the answer is the second one."""
    chat.says("Just roll back the build.")
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert answered.outcome.stop_reason == "cited"
    assert answered.outcome.removed == 0


async def test_what_stays_uncited_is_taken_out(corpus_url: str, chat: ChatServer) -> None:
    """Half an answer is shown with a count of what is missing, after one correction."""
    chat.by = cites("Roll back to the last build [{0}]. Then buy a new server in Paris.")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert len(chat.asked) == 2
    assert answered.outcome.stop_reason == "cited"
    assert answered.outcome.removed == 1
    assert "Paris" not in answered.outcome.answer


async def test_a_repeated_call_is_refused(corpus_url: str, chat: ChatServer) -> None:
    """The same search again costs no search; the model is told so, whatever the key order."""
    chat.calls("search", '{"query": "drain a node", "service": "platform"}')
    chat.calls("search", '{"service":"platform","query":"drain a node"}')
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert "made before" in chat.asked[2].said
    assert kinds(answered).count("search") == 2
    assert answered.outcome.stop_reason == "cited"


async def test_the_rounds_are_bounded(corpus_url: str, chat: ChatServer) -> None:
    """A model that only calls tools is offered none at last; then extracts are shown, labelled."""
    count = iter(range(100))

    def script(_messages: list[Any]) -> Reply:
        return Reply(calls=(tool_call("search", {"query": f"deploy {next(count)}"}),))

    chat.by = script
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
        assert len(chat.asked) == 5
        assert "tools" not in chat.asked[-1].body
        assert answered.outcome.stop_reason == "cited"
        assert "these are extracts" in answered.outcome.notes[0]
        nothing = await asked(core, FAR)
    assert nothing.outcome.stop_reason in {"no_match", "cited"}


async def test_calls_of_a_round_run_together(corpus_url: str, chat: ChatServer) -> None:
    """Several calls in one message are answered each under its id, in their order."""
    calls = tuple(
        tool_call("search", {"query": query}, f"call_{query}") for query in ("refund", "node")
    )
    chat.replies(Reply(calls=calls))
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    given = [each["tool_call_id"] for each in chat.asked[1].messages if each["role"] == "tool"]
    assert given == ["call_refund", "call_node"]
    assert answered.outcome.stop_reason == "cited"


async def test_bad_arguments_come_back_to_the_model(corpus_url: str, chat: ChatServer) -> None:
    """An unknown tool and wrong arguments are told to the model, which can mend them."""
    chat.calls("serch", {"query": "x"})
    chat.calls("search", {"words": "x"})
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    results = [step.data["result"] for step in answered.steps if step.kind == "tool"]
    assert results == ["try_again", "try_again"]
    assert "query" in chat.asked[2].said
    assert answered.outcome.stop_reason == "cited"


async def test_what_is_too_long_is_left_out(corpus_url: str, chat: ChatServer) -> None:
    """A server that can't read it all gets fewer passages, the nearest staying, and it is said."""

    def refuses(body: Any) -> Reply | None:
        if len(ids(body["messages"])) <= 2:
            return None
        error = {"error": {"code": "context_length_exceeded", "message": "too long"}}
        return Reply(status=400, body=error)

    chat.refuses = refuses
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert answered.outcome.stop_reason == "cited"
    assert any("2 passages had to be left out" in note for note in answered.outcome.notes)
    assert answered.outcome.citations[0].passage == answered.outcome.passages[0]


@pytest.mark.parametrize("status", [401, 500])
async def test_a_model_that_is_down_leaves_extracts(
    corpus_url: str, chat: ChatServer, status: int
) -> None:
    """With passages in hand they are quoted, labelled; without any it is no match."""

    def refuses(_body: Any) -> Reply:
        return Reply(status=status, body={"error": "no"})

    chat.refuses = refuses
    async with opened(corpus_url, chat, model_timeout=2) as core:
        answered = await asked(core, ASKED)
        nothing = await asked(core, FAR)
    assert answered.outcome.stop_reason == "cited"
    assert "these are extracts" in answered.outcome.notes[0]
    assert nothing.outcome.stop_reason == "no_match"
    assert "chat model" in nothing.outcome.notes[0]


async def test_a_model_that_dies_in_the_middle(corpus_url: str, chat: ChatServer) -> None:
    """After a round of tools the server breaks: what was found by then is quoted."""
    chat.calls("search", {"query": ASKED})
    async with opened(corpus_url, chat, model_timeout=2) as core:
        answered = await asked(core, FAR)
    assert answered.outcome.stop_reason == "cited"
    assert "these are extracts" in answered.outcome.notes[0]
