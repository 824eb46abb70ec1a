"""Is this process well? `/healthz`: it runs; `/readyz`: what it needs is there; `/metrics`."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog
from aiohttp import web

from bot.jobs import Pool
from bot.metrics import Metrics
from schema.sql import load

__all__ = ["Health", "Line", "open_health", "routes"]

_SQL = load("bot", "health.sql")
_LOG = structlog.get_logger("footnote.health")
_SECONDS: Final = 2.0  # for the database's answer
_STUCK_SECONDS: Final = 600.0
_TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


class Line(Protocol):
    """The connection that Slack's events come in by."""

    async def connected(self) -> bool:
        """Tell whether it stands, by a recent pong."""
        ...

    def pong_seconds(self) -> float | None:
        """Return how old the last pong is; None before the first."""
        ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the inbox holds. `stuck_seconds`: for how long a message has been due in vain."""

    messages: int
    oldest_seconds: float
    failed: int
    stuck_seconds: float


class Health:
    """Looks at what a process needs. `line` is set as long as there is a socket.

    `works`: messages that wait too long make it unready. A process that takes Slack's requests over
    HTTP stays ready then: a balancer that left it out would lose what people ask.

    `looks` is where looks at the database run: one may go on when nobody waits for it any more.
    """

    def __init__(
        self, pool: Pool, metrics: Metrics, looks: asyncio.TaskGroup, *, works: bool
    ) -> None:
        self._pool = pool
        self._metrics = metrics
        self._works = works
        self._looks = looks
        self._look: asyncio.Task[Waiting | None] | None = None
        self.line: Line | None = None

    def close(self) -> None:
        """Call a look off that still runs."""
        if self._look is not None:
            self._look.cancel()

    async def ready(self) -> tuple[bool, Mapping[str, Any]]:
        """Return whether all is there, and what was seen."""
        waiting = await self._waiting()
        seen: dict[str, Any] = {"database": waiting is not None}
        well = waiting is not None
        if waiting is not None:
            seen["waiting"] = {
                "messages": waiting.messages,
                "oldest_seconds": round(waiting.oldest_seconds, 1),
                "stuck": waiting.stuck_seconds > _STUCK_SECONDS,
            }
            well = not (self._works and seen["waiting"]["stuck"])
        if self.line is not None:
            connected, pong = await self.line.connected(), self.line.pong_seconds()
            age = round(pong, 1) if pong is not None else None
            seen["socket"] = {"connected": connected, "pong_seconds": age}
            well = well and connected
        return well, {"ready": well, **seen}

    async def measures(self) -> bytes:
        """Return the metrics, with those that are looked up for it."""
        waiting = await self._waiting()
        if waiting is None:
            self._metrics.no_database()
        else:
            self._metrics.queue(waiting.messages, waiting.oldest_seconds, waiting.failed)
        if self.line is not None:
            self._metrics.socket(connected=await self.line.connected())
        return await asyncio.to_thread(self._metrics.text)

    async def _waiting(self) -> Waiting | None:
        """Return what the inbox holds; None when the database doesn't answer in time.

        A look at a frozen database takes far longer to be called off than to be told of: psycopg
        asks the server to cancel the query, and waits for it. So it isn't awaited then.
        """
        if self._look is None or self._look.done():
            self._look = self._looks.create_task(self._read())
        await asyncio.wait({self._look}, timeout=_SECONDS)
        return self._look.result() if self._look.done() else None

    async def _read(self) -> Waiting | None:
        try:
            async with (
                asyncio.timeout(_SECONDS),
                self._pool.connection(timeout=_SECONDS) as connection,
            ):
                cursor = await connection.execute(_SQL["waiting"])
                row = await cursor.fetchone()
        except Exception as error:  # noqa: BLE001  # whatever it is, nobody else is to suffer from it
            _LOG.warning("database_not_ready", error=type(error).__name__)
            return None
        return Waiting(*row) if row else None


@asynccontextmanager
async def open_health(pool: Pool, metrics: Metrics, *, works: bool) -> AsyncGenerator[Health]:
    """Look at what a process needs until the context is left."""
    async with asyncio.TaskGroup() as looks:
        health = Health(pool, metrics, looks, works=works)
        try:
            yield health
        finally:
            health.close()


def routes(health: Health, *, metrics: bool) -> list[web.RouteDef]:
    """Return the routes, the metrics only where they are for those who may see them."""

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def readyz(_request: web.Request) -> web.Response:
        well, seen = await health.ready()
        return web.json_response(seen, status=200 if well else 503)

    async def measures(_request: web.Request) -> web.Response:
        return web.Response(body=await health.measures(), headers={"Content-Type": _TEXT})

    found = [web.get("/healthz", healthz), web.get("/readyz", readyz)]
    return [*found, web.get("/metrics", measures)] if metrics else found
