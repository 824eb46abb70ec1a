"""Which files of a message are clips, and what a transcript becomes before anybody reads it."""

from typing import Any

import pytest

from bot.edits import change
from bot.events import incoming
from bot.voice import clips
from bot.voice.clips import tidy
from tests.bot.test_events import BOT, body

CLIP = {"id": "F1", "mimetype": "audio/webm", "subtype": "slack_audio"}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([CLIP], ("F1",)),
        ([{"id": "F2", "mimetype": "audio/mpeg"}], ("F2",)),
        ([{"id": "F3", "mimetype": "video/webm", "subtype": "slack_audio"}], ("F3",)),
        ([{"id": "F4", "mimetype": "video/mp4", "subtype": "slack_video"}], ()),
        ([{"id": "F5", "mimetype": "text/plain", "name": "audio/a.mp3"}], ()),
        ([{"mimetype": "audio/webm"}, {"id": "F6"}], ()),
        ([{**CLIP, "id": f"F{n}"} for n in range(5)], ("F0", "F1", "F2")),
        ([], ()),
        (None, ()),
    ],
)
def test_audio_is_told_by_its_kind(files: Any, found: tuple[str, ...]) -> None:
    """What Slack has marked as audio, whatever it is called; of many the first three."""
    assert clips({"files": files}) == found


def test_clips_come_with_messages_and_edits_of_people() -> None:
    """With the words beside them or none; those that other bots post are nobody's question."""
    sent = incoming(body(subtype="file_share", text="", files=[CLIP]), BOT)
    assert sent is not None
    assert (sent.text, sent.clips) == ("", ("F1",))
    by_bot = incoming(body(text=f"<@{BOT}>", bot_id="B1", files=[CLIP]), BOT)
    assert by_bot is not None
    assert by_bot.clips == ()
    new = {"user": "U1", "ts": "100.1", "text": "b", "edited": {"ts": "101.1"}, "files": [CLIP]}
    old = {"user": "U1", "ts": "100.1", "text": "a"}
    edited = change(body(subtype="message_changed", message=new, previous_message=old), BOT)
    assert edited is not None
    assert edited.message.clips == ("F1",)


@pytest.mark.parametrize(
    ("words", "readable"),
    [
        ("  How do I\nroll back? \t", "How do I roll back?"),
        ("a\x00b\x1b[2Jc\u202ed\u200be\ufeff", "a b [2Jc d e"),
        ("half \ud83d a pair", "half a pair"),
        ("…\n\n", "…"),
        (" \u200b\n ", ""),
        ("word " * 2_000, ("word " * 800).strip()),
    ],
)
def test_a_transcript_is_tidied(words: str, readable: str) -> None:
    """One line of bounded length, in which nothing hides and which the database can hold."""
    assert tidy(words) == readable
