"""Which Slack events are stored, and what their texts become."""

from typing import Any

import pytest

from bot.events import incoming, strip_mention

BOT = "U0BOT"


def body(**event: object) -> dict[str, Any]:
    """Return an Events API body around a plain message."""
    return {
        "type": "event_callback",
        "team_id": "T1",
        "event_id": "Ev1",
        "event": {
            "type": "message",
            "channel": "C1",
            "channel_type": "channel",
            "user": "U1",
            "ts": "100.000001",
            "text": "hello",
            **event,
        },
    }


def test_a_mention_is_taken_from_either_event() -> None:
    """The `message` and the `app_mention` of one post are both mentions of one session."""
    text = f"<@{BOT}> why is it slow?"
    as_message = incoming(body(text=text), BOT)
    as_mention = incoming(body(type="app_mention", text=text), BOT)
    assert as_message is not None
    assert as_mention is not None
    assert as_message.kind == as_mention.kind == "mention"
    assert as_message.session == as_mention.session == "T1:C1:100.000001"
    assert as_message.text == "why is it slow?"


def test_replies_and_direct_messages_are_taken() -> None:
    """A reply belongs to its root's session; a direct message begins its own."""
    reply = incoming(body(thread_ts="99.000001"), BOT)
    direct = incoming(body(channel="D1", channel_type="im"), BOT)
    assert reply is not None
    assert (reply.kind, reply.session) == ("reply", "T1:C1:99.000001")
    assert direct is not None
    assert (direct.kind, direct.session) == ("direct", "T1:D1:100.000001")


@pytest.mark.parametrize(
    "event",
    [
        {"text": "[RESOLVED] it", "bot_id": "B1"},
        {"text": "it fires", "bot_id": "B1", "thread_ts": "99.000001"},
        {"text": f"<@{BOT}> hi", "user": BOT, "bot_id": "B0BOT"},
        {"text": f"<@{BOT}> hi", "user": BOT},
        {"text": f"<@{BOT}> hi", "subtype": "message_changed"},
        {"text": f"<@{BOT}> hi", "subtype": "channel_join"},
        {"text": f"<@{BOT}> hi", "user": None},
        {"type": "reaction_added"},
    ],
)
def test_everything_else_is_not_stored(event: dict[str, Any]) -> None:
    """What bots say in threads or say is over, our own posts, edits and joins leave no trace."""
    assert incoming(body(**event), BOT) is None


@pytest.mark.parametrize("event", [{}, {"thread_ts": "100.000001"}])  # so a root with replies comes
def test_what_nobody_addressed_may_be_a_question(event: dict[str, Any]) -> None:
    """A root message that mentions nobody is one where the channel is set so, and only there."""
    message = incoming(body(**event), BOT)
    assert message is not None
    assert message.kind == "question"


def test_what_bots_post() -> None:
    """A mention stays one, the rest may be an alert, also without a user; its author is the bot."""
    mentioned = incoming(body(text=f"<@{BOT}> hi", bot_id="B1"), BOT)
    alert = incoming(body(text="Disk full", bot_id="B1", user=None, subtype="bot_message"), BOT)
    assert mentioned is not None
    assert alert is not None
    assert (mentioned.kind, mentioned.author) == ("mention", "B1")
    assert (alert.kind, alert.author, alert.text) == ("alert", "B1", "Disk full")
    assert incoming(body(text="x", subtype="bot_message"), BOT) is None


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
def test_messages_with_files_and_broadcasts_are_messages(subtype: str) -> None:
    """These two subtypes are what people write all the same."""
    assert incoming(body(subtype=subtype, text=f"<@{BOT}> look"), BOT) is not None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (f"<@{BOT}> a &lt;b&gt; &amp;&amp; c", "a <b> && c"),
        (f"<@{BOT}|footnote>   what?", "what?"),
        ("see <https://example.com/x|the page> and <https://example.com/y>", None),
        ("in <#C123|payments>", "in #payments"),
        ("&amp;lt;", "&lt;"),
        ("nul \x00 and \ud800 surrogate", "nul and surrogate"),
    ],
)
def test_texts_are_read_as_a_person_reads_them(text: str, plain: str | None) -> None:
    """Slack's escapes and markup are undone once; what PostgreSQL can't hold is dropped."""
    expected = plain or "see the page and https://example.com/y"
    assert strip_mention(text, BOT) == expected


def test_mentions_of_others_stay() -> None:
    """The gate looks at them."""
    assert strip_mention("<@U0BEN> look", BOT) == "<@U0BEN> look"
