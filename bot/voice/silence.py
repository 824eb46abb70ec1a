"""A clip in which nobody speaks, to try a transcriber with. Pure."""

import io
import wave
from typing import Final

from bot.voice.transcriber import Clip

__all__ = ["silence"]

_RATE: Final = 16_000  # samples a second


def silence(seconds: float) -> Clip:
    """Return a clip of so many seconds."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(_RATE)
        written.writeframes(bytes(2 * int(seconds * _RATE)))
    return Clip("silence.wav", file.getvalue())
