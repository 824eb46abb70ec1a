"""What `footnote doctor` says of the transcriber."""

import pytest

from bot.database import Database
from bot.doctor import examine
from bot.finding import Finding
from bot.settings import Settings
from bot.voice.whisper import is_installed
from tests.model_server import Fault
from tests.transcriber_server import transcriber_server


async def voice(database_url: str, **told: str) -> Finding:
    """Return what it finds."""
    settings = Settings.model_validate({"FOOTNOTE_DATABASE_URL": database_url, **told})
    found = [each async for each in examine(settings, Database(database_url, None))]
    (one,) = [each for each in found if each.name == "voice"]
    return one


@pytest.mark.parametrize(
    ("fault", "state", "words"),
    [
        (None, "ok", "whisper-1, a second of silence"),
        (Fault(401, {"error": "no"}), "failure", "FOOTNOTE_TRANSCRIBER_API_KEY"),
    ],
)
async def test_a_server_is_tried(
    database_url: str, fault: Fault | None, state: str, words: str
) -> None:
    """It gets a second of silence to write down; what it fails at comes with advice."""
    async with transcriber_server() as server:
        server.faults.extend([fault] if fault else [])
        told = {"transcriber_url": server.url, "transcriber_model": "whisper-1"}
        found = await voice(database_url, **told)
    assert (found.state, words in f"{found.detail} {found.advice}") == (state, True)
    assert server.asked[0].content.startswith(b"RIFF")


async def test_without_a_server(database_url: str) -> None:
    """The extra is tried where it is installed; none is no fault."""
    found = await voice(database_url)
    assert found.state == "ok"
    assert ("whisper-tiny.en" if is_installed() else "no transcriber") in found.detail
