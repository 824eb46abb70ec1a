"""The transcriber on a server: what is sent, and what becomes of each way in which it may fail."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from bot.voice import Clip, NotAudio, TranscriberDown
from bot.voice.transcriber_http import TranscribingServer, http_transcriber
from tests.model_server import Fault
from tests.transcriber_server import TranscriberServer, spoken, transcriber_server

CLIP = Clip("Ana’s secret plan.M4A", spoken("is it down?"))


@pytest.fixture
async def server() -> AsyncGenerator[TranscriberServer]:
    """A server that writes down what is said, unless told otherwise."""
    async with transcriber_server() as running:
        yield running


async def transcribed(server: TranscriberServer, seconds: float = 10, clip: Clip = CLIP) -> str:
    """Have a clip written down."""
    told = TranscribingServer(server.url, "whisper-1", "k3y", seconds)
    async with http_transcriber(told) as transcriber:
        return await transcriber.transcribe(clip)


async def test_what_is_sent(server: TranscriberServer) -> None:
    """A form with model, format and file, whose name tells its kind and nothing else; the key."""
    assert await transcribed(server) == "is it down?"
    (asked,) = server.asked
    assert asked.fields == {"model": "whisper-1", "response_format": "json"}
    assert (asked.name, asked.content) == ("clip.m4a", CLIP.content)
    assert asked.headers["authorization"] == "Bearer k3y"


async def test_without_a_model_none_is_named(server: TranscriberServer) -> None:
    """Servers of one model want no name; the transcriber is called after its place then."""
    async with http_transcriber(TranscribingServer(f"{server.url}/api")) as transcriber:
        assert await transcriber.transcribe(CLIP) == "is it down?"
        assert transcriber.name == server.url.removeprefix("http://")
    assert "model" not in server.asked[0].fields
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize(
    "fault",
    [
        Fault(500, {"error": "out of memory"}),
        Fault(429, {"error": "slow down"}, headers={"Retry-After": "0.2"}),
        Fault(raw="<html>Sign in</html>"),
        Fault(raw='{"text": "is it'),
        Fault(body={"error": {"message": "loading the model", "code": 503}}),
    ],
    ids=["500", "429", "html", "half", "error-with-200"],
)
async def test_what_passes_is_tried_again(server: TranscriberServer, fault: Fault) -> None:
    """A failure that may pass is followed by another attempt, with the whole file."""
    server.faults.append(fault)
    assert await transcribed(server) == "is it down?"
    assert [each.content for each in server.asked] == [CLIP.content] * 2


@pytest.mark.parametrize(
    ("fault", "words", "attempts"),
    [
        (Fault(500, {"error": "no"}), "HTTP 500", 3),
        (Fault(429, {"error": "no"}, headers={"Retry-After": "0"}), "HTTP 429", 3),
        (Fault(raw="<html>Sign in</html>"), "answers no JSON", 3),
        (Fault(401, {"error": "who is k3y?"}), "FOOTNOTE_TRANSCRIBER_API_KEY", 1),
        (Fault(404, {"error": "no such model"}), "FOOTNOTE_TRANSCRIBER_MODEL", 1),
        (Fault(body={"segments": []}), "holds no text", 1),
        (Fault(body=["is it down?"]), "holds no text", 1),
        (Fault(body={"text": None}), "holds no text", 1),
    ],
)
async def test_what_stays_wrong_is_told(
    server: TranscriberServer, fault: Fault, words: str, attempts: int
) -> None:
    """After its attempts, one sentence that says what to do, and never the key."""
    server.faults.extend([fault] * 3)
    with pytest.raises(TranscriberDown) as caught:
        await transcribed(server)
    assert words in str(caught.value)
    assert "k3y" not in str(caught.value)
    assert len(server.asked) == attempts


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_clip_that_it_refuses(server: TranscriberServer, status: int) -> None:
    """It is this clip that is wrong: nobody tries again."""
    server.faults.append(Fault(status, {"error": {"message": "Invalid file format."}}))
    with pytest.raises(NotAudio):
        await transcribed(server)
    assert len(server.asked) == 1


async def test_one_that_takes_too_long_is_left_and_rests(server: TranscriberServer) -> None:
    """After its time it is down, and the next clip isn't kept waiting for it."""
    server.faults.append(Fault(until=asyncio.Event()))
    told = TranscribingServer(server.url, timeout=0.3)
    async with http_transcriber(told) as transcriber:
        with pytest.raises(TranscriberDown, match="FOOTNOTE_TRANSCRIBER_TIMEOUT"):
            await transcriber.transcribe(CLIP)
        with pytest.raises(TranscriberDown):
            await transcriber.transcribe(CLIP)
    assert len(server.asked) == 1


async def test_one_that_isnt_there() -> None:
    """Nobody listens at the address: a sentence that names the setting."""
    async with http_transcriber(TranscribingServer("http://127.0.0.1:9", timeout=5)) as transcriber:
        with pytest.raises(TranscriberDown, match="FOOTNOTE_TRANSCRIBER_URL"):
            await transcriber.transcribe(CLIP)
