"""Who may ask: guests and strangers only where the settings say so."""

import pytest

from bot.playground import Playground
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, stop_reason
from tests.bot.test_edits import until


@pytest.mark.parametrize("allowed", [False, True])
async def test_a_guest_asks_where_guests_may(
    slack: Playground, start: Start, *, allowed: bool
) -> None:
    """Else the guest, and nobody else, is told why not; a follow-up of theirs gets silence."""
    slack.workspace.add_user("Gail", guest=True)
    slack.join(CHANNEL, "Gail")
    bot = await start(**({"FOOTNOTE_MAY_ASK": "members,guests"} if allowed else {}))
    ts = await slack.post("Gail", CHANNEL, mention(slack, QUESTION))
    if allowed:
        (reply,) = await slack.wait_for_reply(CHANNEL, ts, 1, timeout=20)
        assert stop_reason(reply) == "cited"
        return
    await until(lambda: bool(slack.ephemeral(CHANNEL, "Gail")))
    (told,) = slack.ephemeral(CHANNEL, "Gail")
    assert "Guests can't ask" in told.text
    assert slack.bot_replies(CHANNEL, ts) == []
    root = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await slack.wait_for_reply(CHANNEL, root, 1, timeout=20)
    await slack.post("Gail", CHANNEL, "and what does ERR_5033 mean?", thread_ts=root)
    await slack.post("Ana", CHANNEL, "and what does ERR_5033 mean?", thread_ts=root)
    await slack.wait_for_reply(CHANNEL, root, 2, timeout=20)
    assert len(slack.bot_replies(CHANNEL, root)) == 2
    assert slack.ephemeral(CHANNEL, "Gail") == [told]
    assert bot.process.returncode is None


async def test_a_guest_is_refused_the_command(slack: Playground, start: Start) -> None:
    """Before anything is posted in the channel."""
    slack.workspace.add_user("Gail", guest=True)
    slack.join(CHANNEL, "Gail")
    await start()
    receipt = await slack.command("Gail", CHANNEL, "/ask", QUESTION)
    assert "Guests can't ask" in str(receipt.answer)
