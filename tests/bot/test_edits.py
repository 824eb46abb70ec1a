"""Questions that are edited, taken back or stopped: whenever it happens, and wherever they run."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from bot.edits import change
from bot.playground import Message, Playground, When
from tests.bot.conftest import Start

CHANNEL = "payments-oncall"
QUESTION = "what do I do about ERR_5032 on a refund?"
OTHER = "what does ERR_5033 mean?"
BOT = "UBOT"


def mention(slack: Playground, text: str) -> str:
    """Write a message that mentions the bot."""
    return f"<@{slack.bot_user_id}> {text}"


def body(subtype: str, **event: Any) -> dict[str, Any]:
    """Return an Events API body about a message."""
    return {
        "team_id": "T1",
        "event_id": "Ev1",
        "event": {"type": "message", "subtype": subtype, "channel": "C1", "ts": "99.0", **event},
    }


def posted(text: str, edited: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a message as it stands in such a body."""
    mark = {"edited": {"user": "U1", "ts": edited}} if edited else {}
    return {"type": "message", "user": "U1", "text": text, "ts": "10.0", **mark, **more}


def test_an_edit_is_a_message_of_its_own() -> None:
    """It has the post's ts, the edit's ts as its revision, and the new words."""
    told = change(
        body(
            "message_changed",
            message=posted(f"<@{BOT}> why not?", "20.0"),
            previous_message=posted(f"<@{BOT}> why?"),
        ),
        BOT,
    )
    assert told is not None
    assert (told.addressed, told.late) == (True, False)
    message = told.message
    assert (message.kind, message.ts, message.revision, message.text) == (
        "mention",
        "10.0",
        "20.0",
        "why not?",
    )


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (posted("https://x", attachments=[{"title": "x"}]), posted("https://x")),
        (posted("why?", "20.0", attachments=[{}]), posted("why?", "20.0")),
        (posted("why?", "20.0"), posted("why?")),
        (posted("an answer", "20.0", user=BOT, bot_id="B1"), posted("…", user=BOT, bot_id="B1")),
        (posted("another bot", "20.0", bot_id="B2"), posted("…", bot_id="B2")),
        (posted("why?", reply_count=1, thread_ts="10.0"), posted("why?")),
        (posted("topic", "20.0", subtype="channel_topic"), posted("old")),
    ],
    ids=["unfurl", "late unfurl", "same words", "own", "bot", "replied to", "no message"],
)
def test_what_is_no_edit(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Unfurled links, our own updates and other bots' are `message_changed` as well."""
    assert change(body("message_changed", message=new, previous_message=old), BOT) is None


def test_an_edit_after_ten_minutes_is_late() -> None:
    """The time is Slack's, from the post to the edit."""
    for edited, late in [("610.0", False), ("610.1", True)]:
        told = change(
            body("message_changed", message=posted("b", edited), previous_message=posted("a")), BOT
        )
        assert told is not None
        assert told.late is late


@pytest.mark.parametrize("stone", [False, True])
def test_a_post_is_taken_back(*, stone: bool) -> None:
    """Slack deletes a message, or, when it has replies, puts a stone in its place."""
    old = posted(f"<@{BOT}> why?")
    told = change(
        body("message_changed", message=posted("gone", subtype="tombstone"), previous_message=old)
        if stone
        else body("message_deleted", deleted_ts="10.0", previous_message=old),
        BOT,
    )
    assert told is not None
    assert (told.message.kind, told.message.ts, told.message.text) == ("deletion", "10.0", "")
    assert told.addressed


@asynccontextmanager
async def nothing_found(url: str) -> AsyncGenerator[None]:
    """Let every search wait, and so every turn run, until the context is left."""
    async with await psycopg.AsyncConnection.connect(url) as blocker:
        await blocker.execute("LOCK TABLE corpus IN ACCESS EXCLUSIVE MODE")
        yield


async def running(url: str, count: int = 1) -> None:
    """Wait until so many turns have begun."""
    async with (
        asyncio.timeout(20),
        await psycopg.AsyncConnection.connect(url, autocommit=True) as connection,
    ):
        while True:
            cursor = await connection.execute("SELECT count(*) FROM turn")
            if await cursor.fetchone() == (count,):
                return
            await asyncio.sleep(0.05)


async def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    """Return what the database says."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        cursor = await connection.execute(query.encode())
        return await cursor.fetchall()


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds: what a process logs is no change that Slack would tell of."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.05)


async def replies(slack: Playground, ts: str, done: str) -> list[Message]:
    """Wait until the newest reply says something, then a while in which no more may come."""
    await until(lambda: any(done in each.text for each in slack.bot_replies(CHANNEL, ts)))
    await asyncio.sleep(1.5)
    return slack.bot_replies(CHANNEL, ts)


async def test_an_edited_question_is_answered_again_in_place(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """The reply itself changes; the log keeps both questions, the view the new one."""
    await start()
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    (before,) = await replies(slack, ts, "ERR_5032")
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    (after,) = await replies(slack, ts, "ERR_5033")
    assert after.ts == before.ts
    log = await rows(corpus_url, "SELECT kind FROM event ORDER BY number")
    assert [kind for (kind,) in log] == ["user", "assistant", "edit", "user", "assistant"]
    assert await rows(corpus_url, "SELECT count(*) FROM inbox WHERE text <> ''") == [(0,)]


async def test_an_edit_ends_the_running_turn_at_once(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Web and worker are two processes; the worker hears of it and begins anew."""
    await start("web")
    worker = await start("worker")
    async with nothing_found(corpus_url):
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await running(corpus_url)
        await slack.edit(CHANNEL, ts, mention(slack, OTHER))
        await running(corpus_url, 2)
    (reply,) = await replies(slack, ts, "ERR_5033")
    assert worker.events("turn_ended_early")
    assert reply.edited is None
    ends = await rows(corpus_url, "SELECT stop_reason FROM turn ORDER BY revision")
    assert ends == [("superseded",), ("cited",)]


async def test_a_deleted_question_is_answered_no_more(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Its running turn ends at once, and nothing is posted; the next question is answered."""
    await start("web")
    worker = await start("worker")
    async with nothing_found(corpus_url):
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await running(corpus_url)
        await slack.delete(CHANNEL, ts)
        await until(lambda: bool(worker.events("question_withdrawn")))
    other = await slack.post("Ana", CHANNEL, mention(slack, OTHER))
    await replies(slack, other, "ERR_5033")
    assert slack.bot_replies(CHANNEL, ts) == []
    assert await rows(corpus_url, "SELECT stop_reason FROM turn ORDER BY ts LIMIT 1") == [
        ("cancelled",)
    ]


async def test_a_deleted_question_takes_its_answer_along(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """The reply to it is deleted; the log says so, and the view has neither."""
    bot = await start()
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await replies(slack, ts, "ERR_5032")
    await slack.delete(CHANNEL, ts)
    await until(lambda: bool(bot.events("question_withdrawn")))
    assert slack.bot_replies(CHANNEL, ts) == []
    log = await rows(corpus_url, "SELECT kind FROM event ORDER BY number")
    assert [kind for (kind,) in log] == ["user", "assistant", "deletion"]


async def test_stop_ends_what_runs_in_the_thread(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Said in the thread, it ends the turn while its search still waits, and the reply says so."""
    await start("web")
    await start("worker")
    async with nothing_found(corpus_url):
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await running(corpus_url)
        await slack.post("Ana", CHANNEL, "stop", thread_ts=ts)
        (reply,) = await replies(slack, ts, "Stopped")
    assert reply.metadata is not None
    assert reply.metadata["event_payload"]["stop_reason"] == "cancelled"


async def test_killed_after_the_post_and_edited_meanwhile(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """The reply that nobody told the database of is found, and shows the new answer."""
    bot = await start()
    hold = slack.faults.hold("chat.postMessage", when=When.AFTER)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await bot.kill()
    web = await start("web")
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    await until(lambda: bool(web.events("change_accepted")))
    await start("worker")
    (reply,) = await replies(slack, ts, "ERR_5033")
    assert reply.edited is not None
    ends = await rows(corpus_url, "SELECT stop_reason FROM turn ORDER BY revision")
    assert ends == [("cited",), ("cited",)]


async def test_edited_before_it_is_taken_up(slack: Playground, start: Start) -> None:
    """A question that still waits is answered as it reads by now, once."""
    web = await start("web")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    await until(lambda: bool(web.events("change_accepted")))
    await start("worker")
    (reply,) = await replies(slack, ts, "ERR_5033")
    assert reply.edited is None


async def test_a_mention_added_by_an_edit_is_answered(slack: Playground, start: Start) -> None:
    """What nobody has asked the bot becomes a question to it."""
    await start()
    ts = await slack.post("Ana", CHANNEL, "so quiet today")
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    await replies(slack, ts, "ERR_5033")
