"""The two doors through which Slack reaches the bot: a socket that the bot opens, or HTTP."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from bot.errors import PortInUse, SlackUnreachable
from bot.health import Health, routes
from bot.slack import is_local, is_loopback

__all__ = ["open_http", "open_socket"]

_LOG = structlog.get_logger("footnote.doors")
_CONNECT_SECONDS = 30
_AT_ONCE = 20  # requests that are worked on; the pool has no more connections anyway
EVENTS_PATH = "/slack/events"


class _Socket:
    """The socket, as its health is looked at."""

    def __init__(self, client: SocketModeClient) -> None:
        self._client = client

    async def connected(self) -> bool:
        """Tell whether it stands, by a recent pong."""
        # The SDK's word is about a session that it may have no means any more to renew.
        return not self._client.aiohttp_client_session.closed and await self._client.is_connected()

    def pong_seconds(self) -> float | None:
        """Return how old the last pong is; None before the first."""
        pong = self._client.last_ping_pong_time
        return None if pong is None else time.time() - pong


@asynccontextmanager
async def open_socket(app: AsyncApp, app_token: str) -> AsyncGenerator[_Socket]:
    """Receive over Socket Mode, until the context is left; yields how to look at the socket.

    Raises:
        SlackUnreachable: no connection comes about. (The SDK itself would try for ever.)
    """
    handler = AsyncSocketModeHandler(app, app_token)
    if is_loopback(app.client.base_url):
        handler.client.proxy = None
    handler.client.message_listeners.append(_warn_of_twins)
    try:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await handler.connect_async()
        except TimeoutError:
            raise SlackUnreachable(
                f"Slack gave no socket within {_CONNECT_SECONDS} seconds: check this machine's"
                " network and proxy, then start again."
            ) from None
        _LOG.info("socket_connected")
        yield _Socket(handler.client)
    finally:
        await handler.close_async()


async def _warn_of_twins(_client: object, message: dict[str, Any], _raw: str | None) -> None:
    """Slack gives each event to any one connection of the app: a second deployment takes half."""
    if message.get("type") == "hello" and int(message.get("num_connections") or 1) > 1:
        _LOG.warning(
            "socket_shared",
            connections=message["num_connections"],
            hint="another process uses this app's token; each gets only a part of the events",
        )


@asynccontextmanager
async def open_http(
    host: str, port: int, health: Health, app: AsyncApp | None = None
) -> AsyncGenerator[int]:
    """Listen on a port for looks at the health and, when an app is given, for Slack's requests.

    `/metrics` is there only where nobody but this machine comes in.

    Yields the port, which was chosen by the system when 0 was asked for.

    Raises:
        PortInUse: another program has it, or the address isn't this machine's.
    """
    server = web.Application(client_max_size=2 * 1024 * 1024)
    server.add_routes(routes(health, metrics=is_local(host)))
    if app is not None:
        server.router.add_post(EVENTS_PATH, _slack_route(app))
    runner = web.AppRunner(server, access_log=None, handle_signals=False, shutdown_timeout=5)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            raise PortInUse(
                f"Port {port} on {host} can't be used ({error.strerror}): choose another with"
                " FOOTNOTE_PORT and FOOTNOTE_HOST, or stop the program that has it."
            ) from error
        bound = int(runner.addresses[0][1])
        _LOG.info("http_listening", host=host, port=bound, slack=app is not None)
        yield bound
    finally:
        await runner.cleanup()


def _slack_route(app: AsyncApp) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    # Many at once would all be late for their acks. So each has its turn, and whoever has hung up
    # by then, to come again, costs those that haven't nothing.
    turns = asyncio.Semaphore(_AT_ONCE)

    async def receive(request: web.Request) -> web.StreamResponse:
        async with turns:
            if request.transport is None or request.transport.is_closing():
                return web.Response(status=503)
            return await answer(request)

    async def answer(request: web.Request) -> web.StreamResponse:
        # Bolt answers 500 to a timestamp that is no number; a stranger's request is a 401.
        if not _is_timestamp(request.headers):
            return web.Response(status=401, text="no valid X-Slack-Request-Timestamp")
        response = await app.async_dispatch(await to_bolt_request(request))
        return await to_aiohttp_response(response)

    return receive


def _is_timestamp(headers: Mapping[str, str]) -> bool:
    value = headers.get("X-Slack-Request-Timestamp", "")
    return value.isascii() and value.isdigit()
