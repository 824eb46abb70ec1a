"""Socket Mode: WebSocket connections of the app, envelopes out, acknowledgements in."""

import asyncio
import contextlib
import itertools
import json
import secrets
import uuid
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from bot.playground.changes import Changes
from bot.playground.deliveries import EVENTS, ConnectionLost, Delivery, NotAcknowledged
from bot.playground.errors import ApiError
from bot.playground.wire import Json

MOST_CONNECTIONS = 10
CONNECTION_SECONDS = 18_060


@dataclass(eq=False, slots=True)
class _Connection:
    """One WebSocket; `draining` once it was told to disconnect, so nothing new is sent there."""

    socket: web.WebSocketResponse
    transport: asyncio.Transport | None
    waiting: dict[str, asyncio.Future[Json | None]] = field(default_factory=dict)
    draining: bool = False


class SocketMode:
    """The transport for apps that connect out. Payloads go to the connections in turn."""

    def __init__(self, app_id: str, ack_timeout: float, changes: Changes) -> None:
        self.app_id: str = app_id
        self.ack_timeout: float = ack_timeout
        self._changes: Changes = changes
        self._tickets: set[str] = set()
        self._connections: list[_Connection] = []
        self._changed: asyncio.Condition = asyncio.Condition()
        self._turn: itertools.count[int] = itertools.count()

    @property
    def connections(self) -> int:
        """How many connections take payloads now."""
        return len(self._live())

    def new_url(self, base_url: str) -> str:
        """The address for one more connection, `ws://…` with a ticket."""
        if len(self._connections) >= MOST_CONNECTIONS:
            raise ApiError("too_many_websockets")
        ticket = secrets.token_urlsafe(16)
        self._tickets.add(ticket)
        origin = base_url.replace("http://", "ws://", 1)
        return f"{origin}/link/?ticket={ticket}&app_id={self.app_id}"

    async def wait_connected(self, count: int) -> None:
        """Wait until at least `count` connections take payloads."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.connections >= count)

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Ask every connection to reconnect, as Slack does every few hours."""
        for connection in self._live():
            connection.draining = True
            with contextlib.suppress(ConnectionError):  # it is gone already
                await connection.socket.send_json({"type": "disconnect", "reason": reason})

    def drop(self) -> None:
        """Cut every connection without a goodbye."""
        for connection in list(self._connections):
            connection.draining = True
            if connection.transport is not None:
                connection.transport.abort()

    async def close(self) -> None:
        """Close every connection in order."""
        for connection in list(self._connections):
            await connection.socket.close(code=1001, message=b"shutting down")

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket endpoint."""
        if request.query.get("ticket") not in self._tickets:
            raise web.HTTPNotFound(text="unknown ticket")
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        transport = request.transport
        connection = _Connection(
            socket, transport if isinstance(transport, asyncio.Transport) else None
        )
        await socket.send_json(
            {
                "type": "hello",
                "num_connections": self.connections + 1,
                "debug_info": {
                    "host": "playground",
                    "build_number": 1,
                    "approximate_connection_time": CONNECTION_SECONDS,
                },
                "connection_info": {"app_id": self.app_id},
            }
        )
        async with self._changed:
            self._connections.append(connection)
            self._changed.notify_all()
        self._changes.touch()
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    _acknowledge(connection, message.data)
        finally:
            self._connections.remove(connection)
            self._changes.touch()
            for answer in connection.waiting.values():
                if not answer.done():
                    answer.set_exception(ConnectionLost("connection_lost"))
        return socket

    async def send(self, delivery: Delivery, attempt: int, reason: str) -> Json | None:
        """Send one envelope; events wait for a connection, commands and clicks do not."""
        if delivery.kind != EVENTS and not self._live():
            raise NotAcknowledged("dispatch_failed")
        async with self._changed:
            await self._changed.wait_for(self._live)
        live = self._live()
        connection = live[next(self._turn) % len(live)]
        envelope_id = str(uuid.uuid4())
        envelope: Json = {
            "envelope_id": envelope_id,
            "type": delivery.kind,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != EVENTS,
        }
        if delivery.kind == EVENTS:
            envelope |= {"retry_attempt": attempt, "retry_reason": reason}
        answer: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        connection.waiting[envelope_id] = answer
        try:
            await connection.socket.send_json(envelope)
            async with asyncio.timeout(self.ack_timeout):
                return await answer
        except ConnectionError as problem:
            connection.draining = True
            raise ConnectionLost("connection_lost") from problem
        except TimeoutError as problem:
            raise NotAcknowledged("timeout") from problem
        finally:
            connection.waiting.pop(envelope_id, None)

    def _live(self) -> list[_Connection]:
        return [each for each in self._connections if not each.draining and not each.socket.closed]


def _acknowledge(connection: _Connection, data: str) -> None:
    try:
        answer = json.loads(data)
    except ValueError:
        return
    waiting = connection.waiting.get(str(answer.get("envelope_id")))
    if waiting is not None and not waiting.done():
        waiting.set_result(answer.get("payload"))
