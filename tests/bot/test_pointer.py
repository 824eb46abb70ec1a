"""Pointer first: what is read shows at once, becomes the answer, and is never left behind."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from bot.playground import Message, Playground, When
from bot.replies.ids import STOP
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_edits import OTHER, rows, until
from tests.bot.test_loop import ids
from tests.chat_server import ChatServer, Reply, chat_server

ALWAYS = {"FOOTNOTE_POINTER_SECONDS": "0"}
STATUS = "assistant.threads.setStatus"


@pytest.fixture
async def chat() -> AsyncIterator[ChatServer]:
    """A chat model."""
    async with chat_server() as running:
        yield running


@asynccontextmanager
async def thinking(chat: ChatServer) -> AsyncGenerator[dict[str, str]]:
    """Let the model think until the context is left; yields the settings of a bot that uses it."""
    done = asyncio.Event()

    def script(messages: list[Any]) -> Reply:
        return Reply(f"Look at the code [{ids(messages)[0]}].", until=done)

    chat.by = script
    try:
        yield {**ALWAYS, "FOOTNOTE_MODEL_URL": chat.url, "FOOTNOTE_MODEL": "scripted"}
    finally:
        done.set()


def is_pointer(message: Message) -> bool:
    """Tell whether a reply still waits for its answer."""
    return "Reading these" in message.text


async def pointed(slack: Playground, ts: str) -> Message:
    """Wait for a thread's pointer."""
    (pointer,) = await slack.wait_for_reply(CHANNEL, ts, timeout=30, until=is_pointer)
    return pointer


async def test_it_becomes_the_answer(slack: Playground, start: Start, chat: ChatServer) -> None:
    """The sources and a status stand there while the model thinks; then the answer, in place."""
    async with thinking(chat) as model:
        await start(**model)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        pointer = await pointed(slack, ts)
        assert "Payment error codes" in pointer.visible_text()
        await slack.wait_until(lambda: "reading" in slack.status(CHANNEL, ts))
    (reply,) = await settled(slack, ts)
    assert reply.ts == pointer.ts
    assert stop_reason(reply) == "cited"
    assert STOP not in str(reply.blocks)
    assert slack.status(CHANNEL, ts) == ""


async def test_stop(slack: Playground, start: Start, chat: ChatServer) -> None:
    """Somebody else than the asker presses it, twice: the turn ends, and the reply says so."""
    async with thinking(chat) as model:
        await start("web", **model)
        await start("worker", **model)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        pointer = await pointed(slack, ts)
        ben = slack.person("Ben")
        receipts = await asyncio.gather(*(ben.click(CHANNEL, pointer.ts, STOP) for _ in range(2)))
        assert all(each.acknowledged for each in receipts)
        (reply,) = await settled(slack, ts)
    assert (reply.ts, stop_reason(reply)) == (pointer.ts, "cancelled")
    assert slack.status(CHANNEL, ts) == ""


async def test_a_stop_without_a_worker(
    slack: Playground, start: Start, chat: ChatServer, corpus_url: str
) -> None:
    """The pointer of a killed worker can be stopped, too: the next worker ends it."""
    async with thinking(chat) as model:
        await start("web", **model)
        worker = await start("worker", **model)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        pointer = await pointed(slack, ts)
        await worker.kill()
        await slack.person("Ana").click(CHANNEL, pointer.ts, STOP)
        assert await rows(corpus_url, "SELECT bool_or(stopped) FROM inbox") == [(True,)]
        await start("worker", **model)
        (reply,) = await settled(slack, ts)
    assert (reply.ts, stop_reason(reply)) == (pointer.ts, "cancelled")


@pytest.mark.parametrize("when", [When.BEFORE, When.AFTER])
async def test_killed_around_the_pointers_post(slack: Playground, start: Start, when: When) -> None:
    """Whether or not Slack got it, the next attempt ends with one message, the answer."""
    bot = await start(**ALWAYS)
    hold = slack.faults.hold("chat.postMessage", when=when)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await bot.kill()
    await start(**ALWAYS)
    await until(lambda: any(not is_pointer(each) for each in slack.bot_replies(CHANNEL, ts)))
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"


async def test_killed_between_pointer_and_answer(
    slack: Playground, start: Start, chat: ChatServer
) -> None:
    """A pointer that a killed worker left behind becomes the next worker's answer."""
    async with thinking(chat) as model:
        bot = await start(**model)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        pointer = await pointed(slack, ts)
        await bot.kill()
    await start(**model)
    await until(lambda: not is_pointer(slack.bot_replies(CHANNEL, ts)[0]))
    (reply,) = await settled(slack, ts)
    assert (reply.ts, stop_reason(reply)) == (pointer.ts, "cited")


@pytest.mark.parametrize("attempts", ["1", "9"])
async def test_what_a_killed_worker_was_doing_is_not_said_for_long(
    slack: Playground, start: Start, chat: ChatServer, attempts: str
) -> None:
    """The status goes with the next attempt's answer, or error, which takes its pointer's place."""
    async with thinking(chat) as model:
        bot = await start(**model, FOOTNOTE_ATTEMPTS=attempts)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        pointer = await pointed(slack, ts)
        await slack.wait_until(lambda: slack.status(CHANNEL, ts) != "")
        await bot.kill()
    # It is too quick to say itself what it does.
    await start(**{**model, "FOOTNOTE_POINTER_SECONDS": "60"}, FOOTNOTE_ATTEMPTS=attempts)
    await until(lambda: not is_pointer(slack.bot_replies(CHANNEL, ts)[0]))
    (reply,) = await settled(slack, ts)
    assert reply.ts == pointer.ts
    assert stop_reason(reply) == ("error" if attempts == "1" else "cited")
    await slack.wait_until(lambda: slack.status(CHANNEL, ts) == "")


async def test_an_answer_lost_on_its_way_is_found_again(slack: Playground, start: Start) -> None:
    """When Slack's answer to a post or an update is lost, nothing is posted twice."""
    await start(**ALWAYS)
    slack.faults.drop("chat.postMessage", when=When.AFTER)
    slack.faults.drop("chat.update", when=When.AFTER)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await until(lambda: any(not is_pointer(each) for each in slack.bot_replies(CHANNEL, ts)))
    await asyncio.sleep(3)
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"


async def test_edited_while_it_shows(
    slack: Playground, start: Start, chat: ChatServer, corpus_url: str
) -> None:
    """The same message becomes the answer to what the question says now."""
    async with thinking(chat) as model:
        await start(**model)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        pointer = await pointed(slack, ts)
        # Before the database knows of it, it is withdrawn instead, and there is another.
        while await rows(corpus_url, "SELECT reply_ts FROM turn") != [  # noqa: ASYNC110  # rows
            (pointer.ts,)
        ]:
            await asyncio.sleep(0.02)
        await slack.edit(CHANNEL, ts, mention(slack, OTHER))
        await until(lambda: len(chat.asked) > 1)
    (reply,) = await settled(slack, ts)
    assert (reply.ts, stop_reason(reply)) == (pointer.ts, "cited")


@pytest.mark.parametrize("what", ["deleted", "edited to thanks"])
async def test_it_goes_with_its_question(
    slack: Playground, start: Start, chat: ChatServer, what: str
) -> None:
    """A question that is taken back, or isn't one any more, leaves no pointer behind."""
    async with thinking(chat) as model:
        await start(**model)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await pointed(slack, ts)
        if what == "deleted":
            await slack.delete(CHANNEL, ts)
        else:
            await slack.edit(CHANNEL, ts, mention(slack, "thanks!"))
        await until(lambda: not slack.bot_replies(CHANNEL, ts))
    await asyncio.sleep(1)
    assert slack.bot_replies(CHANNEL, ts) == []


async def test_a_lock_lost_while_it_shows(
    slack: Playground, start: Start, chat: ChatServer, corpus_url: str
) -> None:
    """Two workers may both be at a turn for a moment; one message is left, the answer."""
    async with thinking(chat) as model:
        await start("web", **model)
        await start("worker", **model)
        await start("worker", **model)
        slack.faults.delay("chat.postMessage", 4.0)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await until(lambda: bool(chat.asked))
        async with await psycopg.AsyncConnection.connect(corpus_url, autocommit=True) as admin:
            await admin.execute(
                "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d"
                " ON d.oid = l.database WHERE l.locktype = 'advisory'"
                " AND d.datname = current_database() AND l.pid <> pg_backend_pid()"
            )
        await asyncio.sleep(6)
    await until(lambda: any(not is_pointer(each) for each in slack.bot_replies(CHANNEL, ts)))
    await asyncio.sleep(4)
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"


async def test_slack_may_refuse_pointer_and_status(slack: Playground, start: Start) -> None:
    """Neither is worth an answer: it comes all the same, once."""
    await start(**ALWAYS)
    slack.faults.fail(STATUS, "not_allowed_token_type", times=9)
    slack.faults.fail("chat.postMessage", "fatal_error")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await until(lambda: any(not is_pointer(each) for each in slack.bot_replies(CHANNEL, ts)))
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"


def long_answer(messages: list[Any]) -> Reply:
    """Say more than one message of Slack's holds."""
    name = ids(messages)[0]
    return Reply("\n".join(f"- Step {n}: look at the code. [{name}]" for n in range(400)))


async def test_a_long_answer_takes_several_messages_once(
    slack: Playground, start: Start, chat: ChatServer
) -> None:
    """Killed behind its second part, it goes on where it was; taken back, all of it goes."""
    chat.by = long_answer
    model = {"FOOTNOTE_MODEL_URL": chat.url, "FOOTNOTE_MODEL": "scripted"}
    bot = await start(**model)
    slack.faults.delay("chat.postMessage", 0.1, when=When.AFTER)  # the first part passes
    hold = slack.faults.hold("chat.postMessage", when=When.AFTER)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await bot.kill()
    assert len(slack.bot_replies(CHANNEL, ts)) == 2
    bot = await start(**model)
    await until(lambda: bool(bot.events("turn_delivered")))
    shown = "\n".join(part.visible_text() for part in slack.bot_replies(CHANNEL, ts))
    assert [shown.count(f"Step {n}:") for n in range(400)] == [1] * 400
    await slack.delete(CHANNEL, ts)
    await until(lambda: not slack.bot_replies(CHANNEL, ts))
