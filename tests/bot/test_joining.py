"""A thread that began without the bot: what stood there before is read once, as quoted data."""

import asyncio
from typing import Any

import psycopg
import pytest

from bot.joining import words
from bot.playground import Playground
from tests.bot.conftest import Start

CHANNEL = "payments-oncall"
ALERT = "ERR_5033 refund to closed card"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"text": "hello"}, "hello"),
        ({"text": "", "blocks": [{"type": "section", "text": {"text": ALERT}}]}, ALERT),
        ({"text": "", "attachments": [{"title": "Down", "text": "now"}]}, "Down\nnow"),
        (
            {"attachments": [{"fields": [{"title": "host", "value": "db1"}], "color": "red"}]},
            "host\ndb1",
        ),
        ({"text": " "}, ""),
    ],
    ids=["text", "blocks", "attachments", "fields", "nothing"],
)
def test_what_a_message_says(message: dict[str, Any], said: str) -> None:
    """An alert's words often stand in its blocks and attachments only."""
    assert words(message) == said


async def logged(url: str) -> list[tuple[Any, ...]]:
    """Return the log."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        cursor = await connection.execute(
            "SELECT kind, text, data ->> 'quoted' FROM event ORDER BY number"
        )
        return await cursor.fetchall()


async def alerted(slack: Playground) -> str:
    """Let an alert without a text stand in a channel, with talk below; returns its ts."""
    block = {"type": "section", "text": {"type": "mrkdwn", "text": ALERT}}
    root = await slack.alert(CHANNEL, blocks=[block], name="pager")
    for number in range(25):
        await slack.post("Ben", CHANNEL, f"note {number}", thread_ts=root)
    return root


async def test_root_and_newest_messages_are_logged_once(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """The alert tells what "this" is; a second question reads nothing again."""
    await start()
    root = await alerted(slack)
    await slack.post("Ana", CHANNEL, f"<@{slack.bot_user_id}> what is this?", thread_ts=root)
    (reply,) = await slack.wait_for_reply(CHANNEL, root, timeout=30)
    assert "ERR_5033" in reply.visible_text()
    await slack.post("Ana", CHANNEL, "what does ERR_5032 mean?", thread_ts=root)
    await slack.wait_for_reply(CHANNEL, root, 2, timeout=30)
    log = await logged(corpus_url)
    context = [(text, quoted) for kind, text, quoted in log if kind == "context"]
    assert context[0] == (ALERT, "true")
    assert [text for text, _ in context[1:]] == [f"note {number}" for number in range(5, 25)]


async def test_a_thread_that_cannot_be_read_is_answered_all_the_same(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Slack's refusal costs the context, not the answer."""
    bot = await start()
    slack.faults.fail("conversations.replies", "missing_scope")
    root = await alerted(slack)
    await slack.post(
        "Ana", CHANNEL, f"<@{slack.bot_user_id}> what does ERR_5032 mean?", thread_ts=root
    )
    await slack.wait_for_reply(CHANNEL, root, timeout=30)
    await asyncio.sleep(0.5)
    assert bot.events("thread_not_read")
    assert [kind for kind, _, _ in await logged(corpus_url)] == ["user", "assistant"]
