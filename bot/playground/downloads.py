"""The two addresses of files: where they are uploaded to, and where the app downloads them."""

import hmac

from aiohttp import BodyPartReader, web

from bot.playground.credentials import Credentials
from bot.playground.faults import ApiFault, Faults, HttpFault, When
from bot.playground.files import Files

DOWNLOAD = "files.download"
"""The name of downloading among `Faults`; a planned error shows the login page."""
LOGIN_PAGE = """<!doctype html>
<html lang="en"><head><title>Sign in</title></head>
<body><h1>Sign in to Playground</h1><p>You need to sign in to see this page.</p></body></html>
"""


class Downloads:
    """Serves uploads and downloads."""

    def __init__(self, files: Files, faults: Faults, credentials: Credentials) -> None:
        self._files: Files = files
        self._faults: Faults = faults
        self._credentials: Credentials = credentials

    def routes(self) -> list[web.RouteDef]:
        """The routes."""
        return [
            web.post("/upload/v1/{key}", self._upload),
            web.get("/files-pri/{file}/download/{name}", self._download),
            web.get("/files-pri/{file}/{name}", self._download),
        ]

    async def _upload(self, request: web.Request) -> web.Response:
        """Take bytes, bare or in the first part of a form."""
        content = await _body(request)
        try:
            self._files.receive(request.match_info["key"], content)
        except KeyError:
            raise web.HTTPNotFound(text="no such upload") from None
        return web.Response(text=f"OK - {len(content)}")

    async def _download(self, request: web.Request) -> web.Response:
        """The bytes for who has the bot's token; for others a login page, with status 200."""
        login = web.Response(text=LOGIN_PAGE, content_type="text/html")
        if not self._is_known(request.headers.get("Authorization", "")):
            return login
        try:
            await self._faults.strike(DOWNLOAD, When.BEFORE)
        except ApiFault:
            return login
        except HttpFault as fault:
            return web.Response(status=fault.status)
        file = self._files.get(request.match_info["file"].rpartition("-")[2])
        content = None if file is None else self._files.content(file.id)
        if file is None or content is None:
            raise web.HTTPNotFound(text="no such file")
        return web.Response(body=content, content_type=file.mimetype)

    def _is_known(self, authorization: str) -> bool:
        expected = f"Bearer {self._credentials.bot_token}"
        return hmac.compare_digest(authorization.encode(), expected.encode())


async def _body(request: web.Request) -> bytes:
    if not request.content_type.startswith("multipart/"):
        return await request.content.read()
    part = await (await request.multipart()).next()
    return bytes(await part.read()) if isinstance(part, BodyPartReader) else b""
