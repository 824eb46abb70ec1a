"""An operator's stop: what runs may end, the rest waits for the restart, and its thread knows."""

import asyncio

import pytest

from bot.playground import Message, Playground, When
from bot.replies.ids import STOP
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_edits import rows, until
from tests.bot.test_pointer import chat, pointed, thinking
from tests.chat_server import ChatServer

__all__ = ["chat"]

SOON = {"FOOTNOTE_GRACE_SECONDS": "0.5"}


def is_interrupted(message: Message) -> bool:
    """Tell whether a reply says that the answer comes after a restart."""
    return "being restarted" in message.text


@pytest.mark.parametrize("pointer", ["0", "60"])
async def test_a_turn_that_takes_longer_than_the_grace(
    slack: Playground, start: Start, chat: ChatServer, corpus_url: str, pointer: str
) -> None:
    """One line in its thread says so, with a pointer or without; it becomes the answer."""
    async with thinking(chat) as settings:
        model = {**settings, **SOON, "FOOTNOTE_POINTER_SECONDS": pointer}
        bot = await start(**model)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        if pointer == "0":
            await pointed(slack, ts)
        else:
            await until(lambda: len(chat.asked) > 0)
        assert await bot.stop() == 0
        (line,) = slack.bot_replies(CHANNEL, ts)
        assert is_interrupted(line)
        assert slack.status(CHANNEL, ts) == ""
        # The job that ran is gone; one that nobody took up any more is for who starts next.
        jobs = "SELECT status FROM procrastinate_jobs WHERE status <> 'todo'"
        assert await rows(corpus_url, jobs) == []
    await start(**model)
    await slack.wait_until(lambda: not is_interrupted(slack.bot_replies(CHANNEL, ts)[0]), 30)
    (reply,) = await settled(slack, ts)
    assert (reply.ts, stop_reason(reply)) == (line.ts, "cited")


async def test_stopped_while_it_waits_for_the_restart(
    slack: Playground, start: Start, chat: ChatServer
) -> None:
    """Who has lost interest meanwhile clicks Stop, while the web process runs on."""
    async with thinking(chat) as model:
        await start("web", **model)
        worker = await start("worker", **model, **SOON)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await pointed(slack, ts)
        assert await worker.stop() == 0
        (line,) = await slack.wait_for_reply(CHANNEL, ts, until=is_interrupted)
        await slack.person("Ana").click(CHANNEL, line.ts, STOP)
        await start("worker", **model)
        await slack.wait_until(lambda: not is_interrupted(slack.bot_replies(CHANNEL, ts)[0]), 30)
        (reply,) = await settled(slack, ts)
    assert (reply.ts, stop_reason(reply)) == (line.ts, "cancelled")


async def test_nothing_new_is_taken_up(slack: Playground, start: Start, corpus_url: str) -> None:
    """The running turn is delivered; the thread's next question waits for the restart."""
    bot = await start()
    hold = slack.faults.hold("chat.postMessage", when=When.BEFORE)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await slack.post("Ana", CHANNEL, "what does ERR_5033 mean?", thread_ts=ts)
    await slack.wait_until(lambda: all(each.acknowledged for each in slack.events))
    bot.process.terminate()
    await until(lambda: bool(bot.events("stopping")))
    hold.release()
    async with asyncio.timeout(30):
        assert await bot.process.wait() == 0
    assert len(slack.bot_replies(CHANNEL, ts)) == 1
    further = await rows(corpus_url, "SELECT state, attempts FROM inbox WHERE kind = 'reply'")
    assert further == [("pending", 0)]
    await start()
    await settled(slack, ts, 2)


async def test_a_stop_while_slack_is_slow_posts_no_line(slack: Playground, start: Start) -> None:
    """An answer that may be on its way already is not announced: it is looked for, and shown."""
    bot = await start(**SOON)
    hold = slack.faults.hold("chat.postMessage", when=When.AFTER)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    assert await bot.stop() == 0
    hold.release()
    await start()
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"
