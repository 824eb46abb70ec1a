"""What writes a clip down, and how it fails. Its messages are for whoever runs the bot."""

from dataclasses import dataclass
from typing import Final, Protocol

__all__ = ["MOST_SECONDS", "Clip", "NotAudio", "TooLong", "Transcriber", "TranscriberDown"]

MOST_SECONDS: Final = 300.0
"""Of a clip that is listened to."""


@dataclass(frozen=True, slots=True)
class Clip:
    """An audio file: its name, whose suffix tells its kind, and what it holds."""

    name: str
    content: bytes


class TranscriberDown(Exception):
    """It doesn't answer, or not what can be used; later it may."""


class NotAudio(Exception):
    """It takes no such clip: damaged, or of an unknown kind."""


class TooLong(NotAudio):
    """The clip takes longer than `MOST_SECONDS`."""


class Transcriber(Protocol):
    """Turns speech into text."""

    @property
    def name(self) -> str:
        """The model's name, else where it is."""
        ...

    async def transcribe(self, clip: Clip) -> str:
        """Return what is said; an empty text when nobody speaks.

        Raises:
            NotAudio: this clip can't be listened to, however often it is tried.
            TranscriberDown: it doesn't listen just now.
        """
        ...
