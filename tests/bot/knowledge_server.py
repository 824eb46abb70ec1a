"""A web server on loopback with pages to ingest, and some that try to lead elsewhere."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

__all__ = ["Site", "serving"]


@dataclass
class Site:
    """Pages by path: body, type, status, headers. `asked` has the paths that were asked for."""

    port: int = 0
    pages: dict[str, tuple[bytes, str, int, dict[str, str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        """The host and port, as a setting names them."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        """The address of a page."""
        return f"http://{self.host}{path}"

    def put(
        self,
        path: str,
        body: str | bytes,
        kind: str = "text/html",
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> str:
        """Publish a page, or another version of it; returns its address."""
        content = body.encode() if isinstance(body, str) else body
        self.pages[path] = (content, kind, status, headers or {})
        return self.url(path)

    def move(self, path: str, to: str, status: int = 302) -> str:
        """Let a page lead elsewhere; returns its address."""
        return self.put(path, "", status=status, headers={"Location": to})

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Give the page of a path."""
        self.asked.append(request.path)
        found = self.pages.get(request.path)
        if found is None:
            return web.Response(status=404)
        body, kind, status, headers = found
        return web.Response(
            body=body, status=status, headers={"Content-Type": kind, **headers} if kind else headers
        )


@asynccontextmanager
async def serving() -> AsyncGenerator[Site]:
    """Serve a site on a free port."""
    site = Site()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        site.port = int(runner.addresses[0][1])
        yield site
    finally:
        await runner.cleanup()
