"""A server that writes down speech, on loopback, for tests: right by itself, wrong as it is told.

A clip of the tests says what its bytes say: `b"say: how do I …"`. An empty one and a real WAV are
silence, other bytes no audio. Each `Fault` spoils one answer.
"""

import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import BodyPartReader, web

from tests.model_server import Fault
from tests.on_loopback import served

__all__ = ["Asked", "TranscriberServer", "spoken", "transcriber_server"]

_MARK = b"say: "


def spoken(words: str) -> bytes:
    """A clip in which something is said."""
    return _MARK + words.encode()


@dataclass(frozen=True)
class Asked:
    """One request: the form's fields, the file's name and bytes, and the headers."""

    fields: Mapping[str, str]
    name: str
    content: bytes
    headers: Mapping[str, str]


@dataclass
class TranscriberServer:
    """Its faults may be changed while it runs."""

    url: str = ""
    faults: deque[Fault] = field(default_factory=deque)
    asked: list[Asked] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request."""
        self.asked.append(await _read(request))
        fault = self.faults.popleft() if self.faults else None
        if fault is None:
            return self._right(self.asked[-1].content)
        if fault.arrived is not None:
            fault.arrived.set()
        if fault.until is not None:
            await fault.until.wait()
            return self._right(self.asked[-1].content)
        text = fault.raw if fault.raw is not None else json.dumps(fault.body)
        return web.Response(
            text=text,
            status=fault.status,
            headers=fault.headers,
            content_type="text/html" if text.startswith("<") else "application/json",
        )

    def _right(self, content: bytes) -> web.Response:
        content = b"" if content.startswith(b"RIFF") else content
        if content and not content.startswith(_MARK):
            error = {"message": "Invalid file format.", "type": "invalid_request_error"}
            return web.json_response({"error": error}, status=400)
        return web.json_response({"text": content.removeprefix(_MARK).decode()})


async def _read(request: web.Request) -> Asked:
    fields: dict[str, str] = {}
    name, content = "", b""
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        if part.name == "file":
            name, content = part.filename or "", bytes(await part.read())
        else:
            fields[part.name or ""] = await part.text()
    return Asked(fields, name, content, request.headers)


@asynccontextmanager
async def transcriber_server() -> AsyncGenerator[TranscriberServer]:
    """Run a server on a free port."""
    server = TranscriberServer()
    paths = "/v1/audio/transcriptions", "/api/audio/transcriptions"
    async with served(server.answer, *paths) as server.url:
        yield server
