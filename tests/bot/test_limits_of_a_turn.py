"""Where a model's turn ends before the model wants to, and what its step log says of that."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from bot.agent import Agent, Thread
from bot.core import Core
from bot.extractive import Extractive
from bot.limits import Budget
from bot.playground import Playground
from bot.question import parse
from bot.reasoner import Reasoner
from bot.steps import Step
from bot.tools import Registry
from bot.window import Event, Window
from tests.bot.chat_client import opened as opened_model
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention
from tests.bot.test_edits import OTHER, replies, rows
from tests.bot.test_loop import ASKED, asked, cites, opened
from tests.chat_server import ChatServer, Reply, chat_server, tool_call

NOW = datetime.now(UTC)
BEFORE = ("context", "memory")
"""The steps of what is gathered beside the first search."""


@pytest.fixture
async def chat() -> AsyncGenerator[ChatServer]:
    """A chat server that says what the test tells it to."""
    async with chat_server() as running:
        yield running


def failures(steps: tuple[Step, ...] | list[Step]) -> list[str | None]:
    """Why each call of a model gave nothing; None where it gave something."""
    return [step.data.get("failure") for step in steps if step.kind == "model"]


async def test_a_turn_has_its_seconds(corpus_url: str, chat: ChatServer) -> None:
    """A model that doesn't come to an end is left; what was found is quoted, and it is said."""
    chat.replies(Reply("Roll", until=asyncio.Event()))
    async with opened(corpus_url, chat, turn_seconds=1) as core:
        answered = await asked(core, ASKED)
    async with asyncio.timeout(5):
        await chat.asked[0].gone.wait()
    assert answered.outcome.stop_reason == "cited"
    assert answered.outcome.notes[0] == "The chat model took too long; these are extracts."
    assert failures(answered.steps) == ["cut off"]


async def test_used_up_tokens_leave_no_tools(corpus_url: str, chat: ChatServer) -> None:
    """The call after the budget's end offers none and says so; its answer counts."""
    chat.calls("search", {"query": "refund"})
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core, opened_model(chat) as model:
        tools = await asyncio.to_thread(Registry.found)
        reasoner = Reasoner(model, tools, Budget(tokens=18))  # what one call of the server takes
        agent = Agent(core.search, Extractive(core.embedder), reasoner)
        answered = await agent.answer(parse(ASKED), Thread())
    assert len(chat.asked) == 2
    assert "tools" not in chat.asked[1].body
    assert "No more tools can be called" in chat.asked[1].said
    assert answered.outcome.stop_reason == "cited"


async def test_a_filtered_answer_leaves_extracts(corpus_url: str, chat: ChatServer) -> None:
    """What a server's filter let through of an answer is not shown."""
    chat.says("Roll back, and", finish="content_filter")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert answered.outcome.stop_reason == "cited"
    assert answered.outcome.notes[0] == "The chat model refuses to answer; these are extracts."


def window(turns: int) -> Window:
    """A thread in which something was asked and answered so many times."""
    return Window(
        turns=tuple(
            (
                Event(2 * n, "user", f"t{n}", "U1", f"about pump {n}?", {}, 5, NOW),
                Event(2 * n + 1, "assistant", f"t{n}", None, "an earlier answer", {}, 5, NOW),
            )
            for n in range(turns)
        )
    )


async def test_turns_are_left_out_after_passages(corpus_url: str, chat: ChatServer) -> None:
    """When one passage is left, the oldest turns go, and both are said."""

    def refuses(body: Any) -> Reply | None:
        if "about pump 0?" not in str(body["messages"]):
            return None
        return Reply(status=400, body={"error": {"code": "context_length_exceeded"}})

    chat.refuses = refuses
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED, Thread(window=window(3)))
    said = str(chat.asked[-1].messages)
    assert "about pump 1?" in said
    assert "about pump 2?" in said
    (note,) = [each for each in answered.outcome.notes if "left out" in each]
    assert "3 passages and 1 earlier message had to be left out" in note
    assert failures(answered.steps) == ["overflow"] * 4 + [None]


async def test_what_is_too_long_however_short_leaves_extracts(
    corpus_url: str, chat: ChatServer
) -> None:
    """A model that can't even read the question and one passage is said to be too small."""
    chat.refuses = lambda _: Reply(status=400, body={"error": {"code": "context_length_exceeded"}})
    async with opened(corpus_url, chat) as core:
        answered = await asked(core, ASKED)
    assert answered.outcome.stop_reason == "cited"
    assert "too long for the chat model" in answered.outcome.notes[0]


class _Meeting:
    """A search that goes on only when two are at it."""

    def __init__(self, core: Core) -> None:
        self._search = core.search
        self.section = core.search.section
        self._barrier = asyncio.Barrier(2)

    async def search(self, query: str, filters: Any) -> Any:
        """Search, the question's own words without waiting for anybody."""
        if query != ASKED:
            async with asyncio.timeout(10):
                await self._barrier.wait()
        return await self._search.search(query, filters)


async def test_calls_of_one_round_overlap(corpus_url: str, chat: ChatServer) -> None:
    """Two searches of one message are under way at the same time."""
    calls = tuple(tool_call("search", {"query": query}, query) for query in ("refund", "node"))
    chat.replies(Reply(calls=calls))
    chat.by = cites("Roll back to the last build [{0}].")
    async with opened(corpus_url, chat) as core, opened_model(chat) as model:
        reasoner = Reasoner(model, await asyncio.to_thread(Registry.found), Budget())
        meeting: Any = _Meeting(core)
        answered = await Agent(meeting, Extractive(core.embedder), reasoner).answer(
            parse(ASKED), Thread()
        )
    results = [step.data["result"] for step in answered.steps if step.kind == "tool"]
    assert results == ["ok", "ok"]


def with_model(chat: ChatServer) -> dict[str, str]:
    """The settings of a bot with this model."""
    return {"FOOTNOTE_MODEL_URL": chat.url, "FOOTNOTE_MODEL": "scripted"}


async def steps_of(url: str) -> list[tuple[Any, ...]]:
    """The steps of each turn, by its end."""
    return await rows(
        url,
        "SELECT stop_reason, array_agg(coalesce(data ->> 'failure', kind) ORDER BY number)"
        " FROM turn LEFT JOIN step ON step.turn = turn.id GROUP BY turn.id, stop_reason"
        " ORDER BY turn.started_at",
    )


async def thinking(slack: Playground, start: Start, chat: ChatServer) -> str:
    """Ask a bot whose model never comes to an end; returns the question's ts once it is asked."""
    chat.replies(Reply("Look", until=asyncio.Event()))
    await start(**with_model(chat))
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await chat.arrived.wait()
    return ts


async def test_stop_ends_a_running_model(
    slack: Playground, start: Start, corpus_url: str, chat: ChatServer
) -> None:
    """The request at the server ends, one reply says so, and the trace says what was done."""
    ts = await thinking(slack, start, chat)
    await slack.post("Ana", CHANNEL, "stop", thread_ts=ts)
    (reply,) = await replies(slack, ts, "Stopped")
    assert chat.asked[0].gone.is_set()
    assert reply.edited is None
    assert await steps_of(corpus_url) == [("cancelled", [*BEFORE, "search", "cut off"])]


async def test_an_edit_ends_a_running_model(
    slack: Playground, start: Start, corpus_url: str, chat: ChatServer
) -> None:
    """The new question is answered instead; both turns have their steps."""
    chat.by = cites("Look at ERR_5033 [{0}].")
    ts = await thinking(slack, start, chat)
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    await replies(slack, ts, "ERR_5033")
    assert len(slack.bot_replies(CHANNEL, ts)) == 1
    assert chat.asked[0].gone.is_set()
    ended, answered = await steps_of(corpus_url)
    assert ended == ("superseded", [*BEFORE, "search", "cut off"])
    assert answered == ("cited", [*BEFORE, "search", "model", "verdict"])


async def test_a_deletion_ends_a_running_model(
    slack: Playground, start: Start, corpus_url: str, chat: ChatServer
) -> None:
    """Nothing is posted, and the model is asked no more."""
    ts = await thinking(slack, start, chat)
    await slack.delete(CHANNEL, ts)
    async with asyncio.timeout(20):
        await chat.asked[0].gone.wait()
    await asyncio.sleep(1)
    assert slack.bot_replies(CHANNEL, ts) == []
    assert await steps_of(corpus_url) == [("cancelled", [*BEFORE, "search", "cut off"])]
    assert len(chat.asked) == 1


async def test_a_turn_that_is_given_up_keeps_what_it_did(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Every attempt fails after its search: the trace of the error shows the last one's."""
    async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as admin:
        await admin.execute("ALTER TABLE citation ADD CHECK (marker < 0)")
    await start(FOOTNOTE_ATTEMPTS="2")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await replies(slack, ts, "incident id")
    ((reason, kinds),) = await steps_of(corpus_url)
    assert reason == "error"
    assert kinds == [*BEFORE, "search", "answer"]
