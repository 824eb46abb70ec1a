"""What every transcriber keeps to; the bundled one only where `make voice` has installed it."""

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.voice import Clip, NotAudio, TooLong, Transcriber
from bot.voice.silence import silence
from bot.voice.transcriber_http import TranscribingServer, http_transcriber
from bot.voice.whisper import Whisper, is_installed
from tests.transcriber_server import spoken, transcriber_server

QUESTION = Path(__file__).parent / "question.m4a"
"""A synthetic voice that says: "How do I roll back a deploy?"."""

bundled = pytest.mark.skipif(not is_installed(), reason="only with `make voice`")


@asynccontextmanager
async def opened(kind: str) -> AsyncGenerator[tuple[Transcriber, Clip, Clip]]:
    """A transcriber with a clip that asks how to roll back a deploy, and one of silence."""
    if kind == "bundled":
        asked = Clip(QUESTION.name, await asyncio.to_thread(QUESTION.read_bytes))
        yield Whisper(seconds=100), asked, silence(seconds=2)
        return
    async with (
        transcriber_server() as server,
        http_transcriber(TranscribingServer(server.url)) as transcriber,
    ):
        asked = Clip(QUESTION.name, spoken("How do I roll back a deploy?"))
        yield transcriber, asked, Clip("silence.wav", b"")


@pytest.fixture(params=["server", pytest.param("bundled", marks=bundled)])
async def given(
    request: pytest.FixtureRequest,
) -> AsyncGenerator[tuple[Transcriber, Clip, Clip]]:
    """Each transcriber with its clips."""
    async with opened(str(request.param)) as found:
        yield found


async def test_what_is_said_is_written_down(given: tuple[Transcriber, Clip, Clip]) -> None:
    """The words come as text, also for two clips at the same time."""
    transcriber, asked, _ = given
    assert transcriber.name
    said = await asyncio.gather(transcriber.transcribe(asked), transcriber.transcribe(asked))
    for text in said:
        assert "roll back" in text
        assert "deploy" in text


async def test_silence_is_no_words(given: tuple[Transcriber, Clip, Clip]) -> None:
    """Where nobody speaks nothing is made up."""
    transcriber, _, silent = given
    assert await transcriber.transcribe(silent) == ""


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7 no audio at all",
        bytes(range(256)) * 40,
        b"#EXTM3U\n#EXTINF:5,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile /etc/passwd\n",
    ],
    ids=["pdf", "noise", "playlist", "files"],
)
async def test_what_is_no_audio_is_refused(
    given: tuple[Transcriber, Clip, Clip], content: bytes
) -> None:
    """With an error of its own: another attempt would give nothing else. No list is followed."""
    transcriber, _, _ = given
    with pytest.raises(NotAudio):
        await transcriber.transcribe(Clip("clip.m4a", content))


@bundled
async def test_a_clip_that_is_too_long_is_refused() -> None:
    """A small file may hold hours, so what is decoded is counted."""
    with pytest.raises(TooLong):
        await Whisper(seconds=100).transcribe(silence(seconds=301))


def test_the_clip_of_silence_is_as_long_as_told() -> None:
    """Two bytes a sample at 16 kHz, behind a header."""
    assert len(silence(seconds=1.5).content) - 44 == math.floor(1.5 * 16_000) * 2
