"""Slack says no: a place is closed to the bot, a window doesn't open, a connection is ended."""

import asyncio

import pytest

from bot.playground import Playground
from bot.replies.ids import CHUNK, CORRECT, WHY
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_edits import rows, until
from tests.bot.test_feedback import answered
from tests.bot.test_pointer import chat, thinking
from tests.bot.test_surfaces import app
from tests.chat_server import ChatServer

__all__ = ["app", "chat"]

ENDS = "SELECT DISTINCT state, reason FROM inbox WHERE state = 'failed'"


@pytest.mark.parametrize("pointer", ["0", "60"])
async def test_removed_from_the_channel_while_answering(
    slack: Playground, start: Start, chat: ChatServer, corpus_url: str, pointer: str
) -> None:
    """The answer is given up at once; invited again, the bot answers in the same thread."""
    async with thinking(chat) as settings:
        await start(**{**settings, "FOOTNOTE_POINTER_SECONDS": pointer})
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await until(lambda: len(chat.asked) > 0)
        slack.leave(CHANNEL, slack.bot_user_id)
    await ended(corpus_url, "not_in_channel")
    there = len(slack.bot_replies(CHANNEL, ts))
    slack.join(CHANNEL, slack.bot_user_id)
    await slack.post("Ana", CHANNEL, mention(slack, "what does ERR_5033 mean?"), thread_ts=ts)
    *_, reply = await settled(slack, ts, there + 1)
    assert stop_reason(reply) == "cited"


async def test_a_channel_archived_while_answering(
    slack: Playground, start: Start, chat: ChatServer, corpus_url: str
) -> None:
    """The answer is given up at once, and the other channels are answered as before."""
    async with thinking(chat) as settings:
        await start(**settings)
        await slack.post("Ana", "checkout", mention(slack, QUESTION))
        await until(lambda: len(chat.asked) > 0)
        slack.archive("checkout")
    await ended(corpus_url, "is_archived")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await settled(slack, ts)


async def test_a_window_that_came_too_late(app: Playground) -> None:
    """Whoever clicked is told, and nobody else: without a word the click seems to be lost."""
    reply = await answered(app)
    for count, button in enumerate((CHUNK, WHY, CORRECT), start=1):
        app.faults.fail("views.open", "expired_trigger_id")
        assert (await app.person("Ben").click(CHANNEL, reply.ts, button)).acknowledged
        await app.wait_until(lambda count=count: len(app.ephemeral(CHANNEL, "Ben")) == count)
        assert "try again" in app.ephemeral(CHANNEL, "Ben")[-1].text
        assert app.person("Ben").modal is None
    assert app.ephemeral(CHANNEL, "Ana") == []


@pytest.mark.parametrize(
    "command", ["/footnote settings", "/footnote settings payments", "/filter"]
)
async def test_a_form_that_came_too_late(app: Playground, command: str) -> None:
    """Whoever gave the command is told, too, and not left with the name of a form."""
    name, _, text = command.partition(" ")
    app.faults.fail("views.open", "expired_trigger_id")
    assert (await app.person("Ben").command(CHANNEL, name, text)).acknowledged
    await app.wait_until(
        lambda: any("try again" in each.text for each in app.ephemeral(CHANNEL, "Ben"))
    )
    assert app.person("Ben").modal is None


async def test_slack_renews_the_connection(slack: Playground, start: Start) -> None:
    """As it does every few hours: what is asked meanwhile is answered once."""
    bot = await start()
    await slack.connected()
    ts = [await slack.post("Ana", CHANNEL, mention(slack, QUESTION))]
    await slack.socket.refresh()
    ts.append(await slack.post("Ana", CHANNEL, mention(slack, QUESTION)))
    for each in ts:
        await settled(slack, each)
    assert not bot.events("socket_shared")


async def ended(url: str, error: str) -> None:
    """Wait until a message was given up, for this reason and no other."""
    async with asyncio.timeout(30):
        while not (found := await rows(url, ENDS)):  # noqa: ASYNC110  # the database tells nobody
            await asyncio.sleep(0.1)
    assert found == [("failed", f"Slack says {error}")]
