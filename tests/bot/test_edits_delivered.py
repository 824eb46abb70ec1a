"""Edits and deletions as Slack delivers them: twice, in any order, and refused where it may."""

import pytest

from bot.playground import Playground
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention
from tests.bot.test_edits import OTHER, replies, rows, until


async def test_an_edit_delivered_twice_is_one(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """One turn more, one event in the log, one reply."""
    bot = await start()
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await replies(slack, ts, "ERR_5032")
    slack.deliver_twice = True
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    assert len(await replies(slack, ts, "ERR_5033")) == 1
    assert len(bot.events("change_accepted")) == 2
    log = await rows(corpus_url, "SELECT kind FROM event ORDER BY number")
    assert [kind for (kind,) in log] == ["user", "assistant", "edit", "user", "assistant"]


async def test_a_deletion_that_comes_before_its_message(
    slack: Playground, start: Start, corpus_url: str
) -> None:
    """Slack keeps no order: what was taken back by the time it is taken up gets no answer."""
    bot = await start("web")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.delete(CHANNEL, ts)
    await until(lambda: bool(bot.events("change_accepted")))
    # As if they had come in the other order: the later row is the message.
    await rows(
        corpus_url,
        "UPDATE inbox SET id = DEFAULT WHERE kind = 'mention' RETURNING id",
    )
    worker = await start("worker")
    await until(lambda: bool(worker.events("question_withdrawn")))
    other = await slack.post("Ana", CHANNEL, mention(slack, OTHER))
    await replies(slack, other, "ERR_5033")
    assert slack.bot_replies(CHANNEL, ts) == []
    states = await rows(corpus_url, "SELECT count(*) FROM inbox WHERE state = 'pending'")
    assert states == [(0,)]


@pytest.mark.parametrize("error", ["cant_update_message", "edit_window_closed"])
async def test_a_reply_that_cannot_be_changed_gets_another(
    slack: Playground, start: Start, error: str
) -> None:
    """The new answer is posted, and the old one taken back."""
    await start()
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await replies(slack, ts, "ERR_5032")
    slack.faults.fail("chat.update", error)
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    (reply,) = await replies(slack, ts, "ERR_5033")
    assert reply.edited is None
    assert "ERR_5032" not in reply.visible_text()


async def test_an_update_in_a_form_that_slack_refuses(slack: Playground, start: Start) -> None:
    """The new answer replaces the old one in a plainer form, nothing of the old blocks left."""
    await start()
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await replies(slack, ts, "ERR_5032")
    slack.faults.fail("chat.update", "invalid_blocks")
    await slack.edit(CHANNEL, ts, mention(slack, OTHER))
    (reply,) = await replies(slack, ts, "ERR_5033")
    assert reply.edited is not None
    assert "ERR_5032" not in reply.visible_text()
