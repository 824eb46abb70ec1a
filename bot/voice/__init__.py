"""Questions that are spoken: audio clips in messages, written down and asked like any other."""

from bot.voice.clips import Heard, clips
from bot.voice.transcriber import Clip, NotAudio, TooLong, Transcriber, TranscriberDown

__all__ = ["Clip", "Heard", "NotAudio", "TooLong", "Transcriber", "TranscriberDown", "clips"]
