"""A transcriber on a server that speaks OpenAI's `/v1/audio/transcriptions`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from bot.voice.transcriber import Clip, NotAudio, TranscriberDown
from retrieval.endpoint import Endpoint, EndpointFailed, Patience, TooMuch, open_endpoint
from retrieval.resting import Rests

__all__ = ["HttpTranscriber", "TranscribingServer", "http_transcriber"]

_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class TranscribingServer:
    """Where it is. `timeout` is the seconds for one clip, repeats included."""

    url: str
    model: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0


class HttpTranscriber:
    """A `Transcriber` over HTTP, made by `http_transcriber`."""

    def __init__(self, server: TranscribingServer, endpoint: Endpoint) -> None:
        self._server: TranscribingServer = server
        self._endpoint: Endpoint = endpoint
        # Else each clip of an incident would hold up a thread for the whole timeout.
        self._rests: Rests = Rests(endpoint.who, server.timeout / 2)

    @property
    def name(self) -> str:
        """The model's name, else where it is."""
        return self._server.model or self._endpoint.place

    async def transcribe(self, clip: Clip) -> str:
        """Return what is said; see `Transcriber`."""
        fields = {"response_format": "json"}
        if self._server.model:
            fields["model"] = self._server.model
        # Servers tell the kind by the suffix; what the file is called is no business of theirs.
        file = (f"clip{PurePath(clip.name).suffix.lower()}", clip.content)
        try:
            with self._rests.asking():
                answer = await self._endpoint.post_file(
                    file, fields, Patience(self._server.timeout, _ATTEMPTS)
                )
        except TooMuch as error:
            raise NotAudio(str(error)) from error
        except EndpointFailed as error:
            raise TranscriberDown(str(error)) from error
        text = answer.get("text") if isinstance(answer, dict) else None
        if not isinstance(text, str):
            raise TranscriberDown(
                f"{self._endpoint.who} answers something that holds no text: see that "
                "FOOTNOTE_TRANSCRIBER_URL is right."
            )
        return text


@asynccontextmanager
async def http_transcriber(server: TranscribingServer) -> AsyncGenerator[HttpTranscriber]:
    """Open a transcriber; it is asked nothing before the first clip."""
    async with open_endpoint(
        server.url,
        "/v1/audio/transcriptions",
        api_key=server.api_key,
        who="The transcriber",
        variables="FOOTNOTE_TRANSCRIBER",
    ) as endpoint:
        yield HttpTranscriber(server, endpoint)
