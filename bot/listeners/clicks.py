"""A click on a button of ours: what it says, and the work that has to be kept before its ack."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from psycopg_pool import PoolTimeout
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot.inbox import Connection
from bot.jobs import DATABASE_ERRORS
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.telling import DATABASE_DOWN, tell
from retrieval.errors import QueryFailed

__all__ = ["Click", "attempt", "in_time", "keep"]

_LOG = structlog.get_logger("footnote.listeners")
_SECONDS = 2.5  # below the three in which Slack wants its ack


@dataclass(frozen=True, slots=True)
class Click:
    """Who has clicked where. `value` is what the button carries, `at` the time as Slack's ts."""

    team: str
    channel: str
    user: str
    value: str
    at: str
    trigger: str
    response_url: str | None

    @classmethod
    def of(cls, body: Mapping[str, Any], action: Mapping[str, Any]) -> "Click":
        """Return the click that a `block_actions` payload tells of."""
        chosen: Mapping[str, Any] = action.get("selected_option") or action
        user: Mapping[str, Any] = body.get("user") or {}
        container: Mapping[str, Any] = body.get("container") or {}
        return cls(
            team=str((body.get("team") or {}).get("id") or user.get("team_id")),
            channel=str((body.get("channel") or {}).get("id") or container.get("channel_id") or ""),
            user=str(user.get("id")),
            value=str(chosen.get("value") or ""),
            at=str(action.get("action_ts") or ""),
            trigger=str(body.get("trigger_id") or ""),
            response_url=body.get("response_url"),
        )


async def keep[T](
    parts: Parts,
    ack: AsyncAck,
    respond: AsyncRespond,
    work: Callable[[Connection], Awaitable[T]],
) -> T | None:
    """Do some work in one transaction, then acknowledge; returns what it gives.

    Slack brings no click again: without a database whoever clicked is told so, and None returned.
    """

    async def in_transaction() -> T:
        async with (
            parts.pool.connection(timeout=POOL_SECONDS) as connection,
            connection.transaction(),
        ):
            return await work(connection)

    return await attempt(ack, respond, in_transaction)


async def attempt[T](
    ack: AsyncAck, respond: AsyncRespond, work: Callable[[], Awaitable[T]]
) -> T | None:
    """Do some work with the database, then acknowledge; as `keep`, with transactions of its own."""
    async with in_time(work) as done:
        await ack()
        if done is None:
            await tell(respond, DATABASE_DOWN)
            return None
    return done[0]


@asynccontextmanager
async def in_time[T](work: Callable[[], Awaitable[T]]) -> AsyncGenerator[tuple[T] | None]:
    """Yield what some work with the database gives; None when it fails or takes too long.

    What takes too long is called off, which isn't waited for before the end of the context: a
    database that hangs draws it out until Slack has given up waiting for an acknowledgement.
    """
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(_done(work))
        await asyncio.wait({working}, timeout=_SECONDS)
        if not working.done():
            _LOG.warning("database_too_slow")
            working.cancel()
        yield working.result() if working.done() else None


async def _done[T](work: Callable[[], Awaitable[T]]) -> tuple[T] | None:
    try:
        return (await work(),)
    except (*DATABASE_ERRORS, PoolTimeout, QueryFailed) as error:
        _LOG.warning("database_fails", error=type(error).__name__)
        return None
