"""Audio clips in messages: which files are some, and what was heard in them. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["UNHEARD", "Heard", "clips", "tidy"]

UNHEARD: Final = "?"
"""Stands for the words of a clip that nobody has listened to yet: they may be a question."""

_MOST: Final = 3
_LONGEST: Final = 4_000  # characters; five minutes of speech have as many
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of listening: the words, or a sentence that says why there are none.

    `by` names who listened; nobody did, in no `milliseconds`, where the words were known.
    """

    words: str = ""
    problem: str = ""
    by: str = ""
    milliseconds: float = 0.0


def clips(event: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of the audio files that a message came with, three at most."""
    files: list[Mapping[str, Any]] = event.get("files") or []
    return tuple(str(each["id"]) for each in files if each.get("id") and _is_audio(each))[:_MOST]


def _is_audio(file: Mapping[str, Any]) -> bool:
    kind = str(file.get("mimetype") or "")
    return file.get("subtype") == "slack_audio" or kind.startswith("audio/")


def tidy(words: str) -> str:
    """Return a transcript on one line, of bounded length, with nothing in it that isn't seen."""
    readable = _UNSEEN.sub(" ", words.encode(errors="ignore").decode())
    return " ".join(readable.split())[:_LONGEST].strip()
