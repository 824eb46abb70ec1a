"""The page and the HTTP interface of a person: /, /static/…, /playground/…."""

import asyncio
import contextlib
import hashlib
import hmac
import secrets
from html import escape
from pathlib import Path
from typing import cast

from aiohttp import web
from yarl import URL

from bot.playground.acting import Acting
from bot.playground.behind import Behind
from bot.playground.changes import Changes
from bot.playground.errors import PlaygroundError
from bot.playground.people import People
from bot.playground.services import Services
from bot.playground.snapshot import Offers, Snapshot
from bot.playground.wire import Json

STATIC = Path(__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
TOKEN_HEADER = "X-Playground-Token"  # noqa: S105 - the header's name
VERSION_HEADER = "X-Playground-Version"
LONGEST_WAIT = 25.0


class Page:
    """Serves the files of `static/` and, to holders of the page token, a person's actions."""

    def __init__(self, services: Services, people: People, offers: Offers) -> None:
        self._token: str = services.credentials.page_token
        self._changes = services.postings.log.changes
        self._people: People = people
        self._acting: Acting = Acting(people, services.views, offers)
        self._behind: Behind = Behind(services, offers)
        self._uploads = services.files
        self._snapshot: Snapshot = Snapshot(services, offers)
        self._files: dict[str, bytes] = {}
        self._version: str = ""
        self._run: str = secrets.token_hex(8)
        self._closing: bool = False

    def routes(self) -> list[web.RouteDef]:
        """The page's routes."""
        return [
            web.get("/", self._index),
            web.get("/static/{name}", self._static),
            web.get("/archives/{channel}/{message}", self._permalink),
            web.get("/playground/state", self._state),
            web.get("/playground/traffic", self._traffic),
            web.get("/playground/traffic/{number}", self._exchange),
            web.get("/playground/trace", self._trace),
            web.get("/playground/file/{file}", self._file),
            web.post("/playground/file", self._upload),
            web.post("/playground/{action}", self._act),
        ]

    async def start(self, _app: web.Application) -> None:
        """Read the static files once."""
        self._files = await asyncio.to_thread(
            lambda: {path.name: path.read_bytes() for path in STATIC.iterdir() if path.is_file()}
        )
        content = b"".join(self._files[name] for name in sorted(self._files))
        self._version = hashlib.sha256(content).hexdigest()

    async def stop(self, _app: web.Application) -> None:
        """Let waiting pages go."""
        self._closing = True
        self._changes.touch()
        self._behind.traffic.changes.touch()

    async def _index(self, _request: web.Request) -> web.Response:
        """The page; an open one reads from the headers what a new run has changed."""
        page = self._files["index.html"].decode()
        page = page.replace("{{page_token}}", escape(self._token, quote=True))
        page = page.replace("{{page_version}}", self._version)
        headers = {TOKEN_HEADER: self._token, VERSION_HEADER: self._version}
        return web.Response(text=page, content_type="text/html", headers=headers)

    async def _static(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        kind = TYPES.get(Path(name).suffix)
        if kind is None or name not in self._files:
            raise web.HTTPNotFound
        return web.Response(body=self._files[name], content_type=kind, charset="utf-8")

    async def _permalink(self, request: web.Request) -> web.Response:
        """A message's link leads to its thread on the page."""
        digits = request.match_info["message"].removeprefix("p")
        channel = request.match_info["channel"]
        if not digits.isascii() or not digits.isdigit() or not channel.isalnum():
            raise web.HTTPNotFound
        ts = request.query.get("thread_ts") or f"{digits[:-6]}.{digits[-6:]}"
        raise web.HTTPFound(URL.build(path="/", fragment=f"{channel}/{ts}"))

    async def _state(self, request: web.Request) -> web.Response:
        self._check(request)
        since = await self._news(request, self._changes)
        return web.json_response({"run": self._run, **self._snapshot.since(since)})

    async def _traffic(self, request: web.Request) -> web.Response:
        """What went to and from the app after `since`."""
        self._check(request)
        since = await self._news(request, self._behind.traffic.changes)
        lines = self._behind.traffic.since(since)
        return web.json_response({"run": self._run, "exchanges": lines})

    async def _exchange(self, request: web.Request) -> web.Response:
        """One of it with what was sent and answered."""
        self._check(request)
        number = request.match_info["number"]
        exchange = self._behind.traffic.get(int(number)) if number.isdecimal() else None
        if exchange is None:
            raise web.HTTPNotFound
        return web.json_response(exchange.whole())

    async def _trace(self, request: web.Request) -> web.Response:
        """What the app did for a thread; `channel` and `ts` of its root stand in the address."""
        self._check(request)
        channel, ts = request.query.get("channel", ""), request.query.get("ts", "")
        return web.json_response({"turns": await self._behind.trace(channel, ts)})

    async def _news(self, request: web.Request, changes: Changes) -> int:
        """Wait for something new if that is asked for; returns since when to tell."""
        try:
            since = int(request.query.get("since", "0"))
            wait = min(float(request.query.get("wait", "0")), LONGEST_WAIT)
        except ValueError:
            raise web.HTTPBadRequest(text="since and wait are numbers.") from None
        if request.query.get("run", self._run) != self._run:
            return 0
        if wait > 0 and not self._closing:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await changes.after(since)
        return since

    async def _act(self, request: web.Request) -> web.Response:
        body = await self._body(request)
        action = self._acting.actions.get(request.match_info["action"])
        if action is None:
            raise web.HTTPNotFound
        try:
            answer = await action(body)
        except PlaygroundError as problem:
            return _refusal(str(problem))
        self._changes.touch()  # a switch changes nothing else that would tell the other pages
        await self._changes.keep()
        return web.json_response(answer)

    async def _upload(self, request: web.Request) -> web.Response:
        """Take a file's bytes; `user` and `name` stand in the address. Returns the file's id."""
        self._check(request)
        try:
            user, name = request.query["user"], request.query["name"]
            file = self._people.writing.upload(user, name, await request.content.read())
        except KeyError:
            return _refusal("user and name are missing.")
        except PlaygroundError as problem:
            return _refusal(str(problem))
        return web.json_response({"ok": True, "file": file.id})

    async def _file(self, request: web.Request) -> web.Response:
        """A file's bytes, for the page to save; never shown as a page of their own."""
        self._check(request)
        content = self._uploads.content(request.match_info["file"])
        if content is None:
            raise web.HTTPNotFound
        return web.Response(body=content, content_type="application/octet-stream")

    async def _body(self, request: web.Request) -> Json:
        self._check(request)
        try:
            body = await request.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise web.HTTPBadRequest(text="The body is a JSON object.")
        return cast("Json", body)

    def _check(self, request: web.Request) -> None:
        given = request.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            raise web.HTTPForbidden(text=f"The header {TOKEN_HEADER} is missing or wrong.")


def _refusal(sentence: str) -> web.Response:
    return web.json_response({"ok": False, "error": sentence}, status=400)
