"""The HTTP server's routes."""

from aiohttp import web

from bot.playground.api.dispatch import WebApi
from bot.playground.downloads import Downloads
from bot.playground.errors import ApiError
from bot.playground.guard import harden, local_only
from bot.playground.page import Page
from bot.playground.response_urls import ResponseUrls
from bot.playground.socket_mode import SocketMode
from bot.playground.traffic import Traffic

LARGEST_BODY = 4 * 1024 * 1024


class Server:
    """Puts Web API, Socket Mode, response URLs, files and the page under one address."""

    def __init__(  # noqa: PLR0913, PLR0917 - the rooms that have an address
        self,
        api: WebApi,
        socket: SocketMode,
        response_urls: ResponseUrls,
        downloads: Downloads,
        page: Page,
        traffic: Traffic,
    ) -> None:
        self._api: WebApi = api
        self._socket: SocketMode = socket
        self._response_urls: ResponseUrls = response_urls
        self._downloads: Downloads = downloads
        self._page: Page = page
        self._traffic: Traffic = traffic

    def build(self) -> web.Application:
        """A fresh application."""
        app = web.Application(middlewares=[local_only], client_max_size=LARGEST_BODY)
        app.on_response_prepare.append(harden)
        app.on_startup.append(self._page.start)
        app.on_shutdown.append(self._page.stop)
        app.on_shutdown.append(self._close_sockets)
        app.router.add_route("*", "/api/{method}", self._api.handle)
        app.router.add_get("/link/", self._socket.handle)
        app.router.add_post("/respond/{key}", self._respond)
        app.add_routes(self._downloads.routes())
        app.add_routes(self._page.routes())
        return app

    async def _close_sockets(self, _app: web.Application) -> None:
        await self._socket.close()

    async def _respond(self, request: web.Request) -> web.Response:
        with self._traffic.exchange("response", "response_url") as exchange:
            try:
                exchange.sent = await request.json()
                self._response_urls.answer(request.match_info["key"], exchange.sent)
            except ApiError as problem:
                exchange.outcome = problem.code
                return web.json_response({"ok": False, "error": problem.code}, status=404)
            except (ValueError, AttributeError):
                exchange.outcome = "invalid_payload"
                return web.json_response({"ok": False, "error": "invalid_payload"}, status=400)
            return web.Response(text="ok")
