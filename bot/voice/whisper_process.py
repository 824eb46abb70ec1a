"""The process that listens to one clip: bytes on standard input, one line of JSON on the output.

Its arguments are the model's folder and the seconds it may take, after which it ends itself, in
case whoever started it is gone. It imports nothing of ours that would make it slow to start.
"""

import json
import os
import signal
import sys
from importlib import import_module
from io import BytesIO
from typing import Any, Final

import numpy as np

__all__ = ["main"]

_RATE: Final = 16_000  # samples a second, as the model was trained
_MOST_SECONDS: Final = 300.0
_THREADS: Final = 2
_FORMATS: Final = "aac,aiff,amr,caf,flac,matroska,webm,mov,mp4,m4a,3gp,mp3,ogg,opus,wav"


class _Refused(Exception):
    """The clip is not listened to; the message is `too long` or `unreadable`."""


def main() -> None:
    """Listen, and say what was heard or why nothing was."""
    folder, seconds = sys.argv[1], float(sys.argv[2])
    signal.alarm(int(seconds) + 5)
    os.nice(10)  # what people typed goes first
    try:
        answer = {"text": _heard(folder, sys.stdin.buffer.read())}
    except _Refused as refused:
        answer = {"problem": str(refused)}
    sys.stdout.write(json.dumps(answer))


def _heard(folder: str, content: bytes) -> str:
    samples = _samples(content)
    # By name: a part of the extra, which isn't there where the types are checked.
    whisper: Any = import_module("faster_whisper")
    model = whisper.WhisperModel(
        folder, device="cpu", compute_type="int8", cpu_threads=_THREADS, local_files_only=True
    )
    # Without the filter the model makes up words where nobody speaks.
    segments, _ = model.transcribe(
        samples, language="en", vad_filter=True, condition_on_previous_text=False
    )
    return " ".join(each.text.strip() for each in segments)


def _samples(content: bytes) -> Any:
    """Return a clip's samples, of shape (n,), between -1 and 1.

    A small file may hold days of silence, so the length is bounded here; and a playlist may name
    other files and addresses, so only formats that hold their own sound are opened.
    """
    av: Any = import_module("av")
    kept: list[Any] = []
    count = 0
    only = {"format_whitelist": _FORMATS, "protocol_whitelist": ""}
    try:
        with av.open(BytesIO(content), options=only, metadata_errors="ignore") as container:
            resampler = av.AudioResampler(format="s16", layout="mono", rate=_RATE)
            for frame in container.decode(audio=0):
                frame.pts = None  # those of recordings in browsers jump
                for part in resampler.resample(frame):
                    kept.append(part.to_ndarray()[0])
                    count += part.samples
                if count > _MOST_SECONDS * _RATE:
                    raise _Refused("too long")
    except (av.FFmpegError, IndexError, ValueError) as error:
        raise _Refused("unreadable") from error
    if not kept:
        raise _Refused("unreadable")
    return np.concatenate(kept).astype(np.float32) / 32_768.0


if __name__ == "__main__":
    main()
