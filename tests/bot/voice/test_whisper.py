"""The process that listens: alone, bounded in time, without our secrets, and never in the way.

Programs of a line stand for it here; `test_transcribers.py` has the real one.
"""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from bot.voice import Clip, NotAudio, TooLong, TranscriberDown
from bot.voice.whisper import Whisper
from retrieval.errors import WeightsDamaged

CLIP = Clip("clip.webm", b"x" * 300_000)  # more than a pipe holds
READ = "import sys; got = sys.stdin.buffer.read();"


def whisper(program: str, seconds: float = 30) -> Whisper:
    """One whose process runs a program."""
    return Whisper(seconds, (sys.executable, "-c", program), lambda: "folder")


def running() -> list[psutil.Process]:
    """Its processes that are there."""
    here = psutil.Process().children()
    return [each for each in here if "MARK" in " ".join(each.cmdline())]


async def test_it_gets_the_clip_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bytes of it, the model's folder and the time; of our environment nothing."""
    monkeypatch.setenv("FOOTNOTE_SLACK_BOT_TOKEN", "xoxb-1")
    told = "json.dumps({'text': f'{len(got)} {sys.argv[1:]} {sorted(os.environ)}'})"
    text = await whisper(f"import json, os; {READ} print({told})").transcribe(CLIP)
    assert text.startswith("300000 ['folder', '30'] ")
    assert "FOOTNOTE" not in text


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("import os; os.abort()", TranscriberDown),
        ("pass", TranscriberDown),
        (f"{READ} print('Loading…')", TranscriberDown),
        (f"{READ} print('[1]')", TranscriberDown),
        (f'{READ} print(\'{{"problem": "unreadable"}}\')', NotAudio),
        (f'{READ} print(\'{{"problem": "too long"}}\')', TooLong),
    ],
)
async def test_whatever_it_ends_with(program: str, error: type[Exception]) -> None:
    """A crash, nothing, or what isn't an answer: it is down; what it says of a clip is told."""
    with pytest.raises(error):
        await whisper(program).transcribe(CLIP)


async def test_one_that_takes_too_long_is_killed() -> None:
    """After its time, or when nobody wants the answer any more; no process is left."""
    program = "import time; time.sleep(60)  # MARK"
    with pytest.raises(TranscriberDown, match="FOOTNOTE_TRANSCRIBER_TIMEOUT"):
        await whisper(program, seconds=0.5).transcribe(CLIP)
    assert running() == []
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(whisper(program).transcribe(CLIP))
        while not running():  # noqa: ASYNC110  # a process tells nobody that it runs
            await asyncio.sleep(0.01)
        task.cancel()
    assert running() == []


async def test_damaged_weights_are_told() -> None:
    """A file that isn't the one that was tried is not loaded; the sentence says what to do."""

    def folder() -> str:
        raise WeightsDamaged("It is damaged: reinstall it.")

    with pytest.raises(TranscriberDown, match="reinstall it"):
        await Whisper(30, ("false",), folder).transcribe(CLIP)


async def test_one_listens_at_a_time(tmp_path: Path) -> None:
    """Clips of several threads wait for each other: each takes 300 MB and all processors."""
    busy = tmp_path / "busy"
    program = (
        f"import os, time; os.mkdir({str(busy)!r}); time.sleep(0.3); os.rmdir({str(busy)!r}); "
        'print(\'{"text": "ok"}\')'
    )
    one = whisper(program)
    assert await asyncio.gather(*(one.transcribe(CLIP) for _ in range(3))) == ["ok"] * 3
