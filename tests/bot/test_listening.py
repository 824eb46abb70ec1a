"""Where the bot speaks up and where it keeps quiet, over Socket Mode and over HTTP."""

import asyncio
from typing import Any

import psycopg
import pytest

from bot import channel_settings
from bot.channel_settings import ChannelSettings
from bot.playground import Message, Playground
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason
from tests.bot.test_surfaces import app as app  # noqa: PLC0414  # a fixture

QUIET = 2.5
ALERT = "ERR_5032 on refunds"


async def set_up(slack: Playground, url: str, **chosen: Any) -> None:
    """Set a channel's settings, as its form does."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await channel_settings.write(
            connection, slack.team_id, slack.channel_id(CHANNEL), ChannelSettings(**chosen), "U1"
        )


def alert(title: str = ALERT) -> list[dict[str, Any]]:
    """Return the attachments of an alert, as Alertmanager posts them."""
    text = "*Alert:* refunds fail with ERR_5032\n*Graph:* <http://prometheus.example|here>"
    return [{"title": f"[FIRING:1] {title}", "text": text}]


async def silent(slack: Playground, ts: str, count: int = 0) -> list[Message]:
    """Wait a while; the replies of a thread, of which no more may have come."""
    await asyncio.sleep(QUIET)
    replies = slack.bot_replies(CHANNEL, ts)
    assert len(replies) == count, [each.text[:80] for each in replies]
    return replies


async def test_muted_by_words(app: Playground) -> None:
    """Somebody says so in the thread: nothing is answered there until the next mention."""
    ts = await app.post("Ana", CHANNEL, mention(app, QUESTION))
    await settled(app, ts)
    await app.post("Ben", CHANNEL, "be quiet here", thread_ts=ts)
    await app.wait_until(lambda: bool(app.ephemeral(CHANNEL, "Ben")))
    assert "quiet in this thread" in app.ephemeral(CHANNEL, "Ben")[0].text
    await app.post("Ana", CHANNEL, "and what does ERR_5033 mean?", thread_ts=ts)
    await silent(app, ts, 1)
    await app.post("Ana", CHANNEL, mention(app, "what does ERR_5033 mean?"), thread_ts=ts)
    await settled(app, ts, 2)
    await app.post("Ana", CHANNEL, "and ERR_5032?", thread_ts=ts)
    await settled(app, ts, 3)
    ts = await app.post("Chloe", CHANNEL, mention(app, "mute"))
    await app.wait_until(lambda: bool(app.ephemeral(CHANNEL, "Chloe")))
    assert "/footnote settings" in app.ephemeral(CHANNEL, "Chloe")[0].text
    assert app.bot_replies(CHANNEL, ts) == []


async def test_mentions_only(app: Playground, corpus_url: str) -> None:
    """Further messages of a thread get silence there, mentions an answer."""
    await set_up(app, corpus_url, mode="mention")
    ts = await app.post("Ana", CHANNEL, mention(app, QUESTION))
    await settled(app, ts)
    await app.post("Ana", CHANNEL, "and ERR_5033?", thread_ts=ts)
    await silent(app, ts, 1)
    await app.post("Ana", CHANNEL, mention(app, "and ERR_5033?"), thread_ts=ts)
    await settled(app, ts, 2)


async def test_every_question(app: Playground, corpus_url: str) -> None:
    """Questions to nobody are answered when a runbook does, statements and bots never."""
    await set_up(app, corpus_url, mode="all")
    ts = await app.post("Ana", CHANNEL, QUESTION)
    await settled(app, ts)
    await app.post("Ben", CHANNEL, "and ERR_5033?", thread_ts=ts)
    await settled(app, ts, 2)
    unknown = await app.post("Ana", CHANNEL, "how do I rotate the kafka broker certificates?")
    statement = await app.post("Ana", CHANNEL, "ERR_5032 on refunds again")
    addressed = await app.post("Ana", CHANNEL, f"<@{app.user_id('Ben')}> what is ERR_5032?")
    bot = await app.alert(CHANNEL, text=QUESTION)
    for each in (unknown, statement, addressed, bot):
        await silent(app, each)
    await app.edit(CHANNEL, statement, QUESTION)
    await settled(app, statement)
    await app.edit(CHANNEL, ts, "what does ERR_5033 mean?")
    await asyncio.sleep(QUIET)
    first, _ = await silent(app, ts, 2)
    assert "ERR_5033" in first.visible_text()


async def test_an_allowed_bot_asks(app: Playground, corpus_url: str) -> None:
    """A bot on the list is answered when it mentions us, once in a thread; others never."""
    ticket = app.workspace.add_bot("Tickets")
    await set_up(app, corpus_url, bots=(str(ticket.bot_id),))
    stranger = await app.alert(CHANNEL, text=mention(app, QUESTION), name="Other")
    ts = await app.alert(CHANNEL, text=mention(app, QUESTION), name="Tickets")
    await settled(app, ts)
    await silent(app, stranger)
    loud = await app.alert(CHANNEL, text=ALERT, name="Tickets")
    await silent(app, loud)  # alert watch is off


async def test_alert_watch(app: Playground, corpus_url: str) -> None:
    """An alert of an allowed bot gets its runbook, the same again a pointer; others get silence."""
    alerts = app.workspace.add_bot("Alerts")
    await set_up(app, corpus_url, bots=(str(alerts.bot_id),), alert_watch=True)
    ts = await app.alert(CHANNEL, attachments=alert(), webhook=True)
    (reply,) = await settled(app, ts)
    assert stop_reason(reply) == "cited"
    assert "ERR_5032" in reply.visible_text()
    assert "alert watch is on" in reply.visible_text()
    assert not reply.pings()
    (event,) = [each for each in app.events if each.payload["event"].get("ts") == ts]
    await app.redeliver(event.payload["event_id"])
    again = await app.alert(CHANNEL, attachments=alert(), webhook=True)
    over = await app.alert(CHANNEL, attachments=[{"title": "[RESOLVED] ERR_5032 on refunds"}])
    unknown = await app.alert(CHANNEL, text="Kafka broker certificate expires")
    stranger = await app.alert(CHANNEL, attachments=alert("ERR_5033"), name="Other")
    await silent(app, ts, 1)
    for each in (over, unknown, stranger):
        await silent(app, each)
    (pointer,) = await silent(app, again, 1)
    assert f"p{ts.replace('.', '')}" in str(pointer.blocks)
    assert "a minute ago" in pointer.text
    assert not pointer.pings()
    (event,) = [each for each in app.events if each.payload["event"].get("ts") == again]
    await app.redeliver(event.payload["event_id"])
    await silent(app, again, 1)
    await app.post("Ana", CHANNEL, "and ERR_5033?", thread_ts=ts)
    await settled(app, ts, 2)


@pytest.mark.parametrize("role", ["web"])
async def test_nothing_unaddressed_is_stored(
    slack: Playground, start: Start, corpus_url: str, role: str
) -> None:
    """Where nobody has set anything, what people say to each other leaves no trace."""
    await start(role)
    await slack.post("Ana", CHANNEL, QUESTION)
    await slack.alert(CHANNEL, text=ALERT)
    await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.wait_until(lambda: all(each.acknowledged for each in slack.events))
    async with await psycopg.AsyncConnection.connect(corpus_url) as connection:
        cursor = await connection.execute("SELECT DISTINCT kind FROM inbox")
        assert await cursor.fetchall() == [("mention",)]
