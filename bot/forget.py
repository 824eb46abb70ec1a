"""Forgetting: what is removed is gone from the database, whoever asks for it, or once it expires.

Everything that hangs on a session goes with it: messages, turns with their steps and citations,
the log, and jobs that name it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from schema.sql import load

__all__ = ["Forgotten", "expire", "of_channel", "of_thread", "of_user", "old_sessions"]

_SQL = load("bot", "forget.sql")
_LOG = structlog.get_logger("footnote.forget")
_EVERY_SECONDS = 3600.0

type Connection = AsyncConnection[Any]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many rows of each kind were removed."""

    sessions: int = 0
    messages: int = 0
    turns: int = 0
    events: int = 0
    steps: int = 0
    citations: int = 0
    jobs: int = 0
    ingests: int = 0
    memories: int = 0


async def of_thread(connection: Connection, session: str) -> Forgotten:
    """Forget one thread, named `TEAM:CHANNEL:TS`."""
    async with connection.transaction():
        return await _sessions(connection, [session])


async def of_channel(connection: Connection, channel: str) -> Forgotten:
    """Forget all threads of a channel, and who brought documents there; these stay."""
    which = {"channel": channel}
    async with connection.transaction():
        ingests = await _removed(connection, "forget_ingests_of_channel", which)
        sessions = await _found(connection, "sessions_of_channel", which)
        return replace(await _sessions(connection, sessions), ingests=ingests)


async def of_user(connection: Connection, user: str) -> Forgotten:
    """Forget what a user has asked, said and had remembered, and threads nobody else is in.

    Summaries of the threads that the user was in tell of it, so they go as well. Documents stay,
    but not who brought them.
    """
    which = {"user": user}
    async with connection.transaction():
        threads = await _found(connection, "sessions_of_user", which)
        turns = await _found(connection, "turns_of_user", which)
        steps = await _removed(connection, "forget_steps", {"turns": turns})
        citations = await _removed(connection, "forget_citations", {"turns": turns})
        events = await _removed(
            connection, "forget_events_of_user", {**which, "turns": turns, "sessions": threads}
        )
        await _removed(connection, "forget_feedback_of_user", which)
        await _removed(connection, "forget_notices_of_user", which)
        await _removed(connection, "forget_transcripts_of_user", which)
        removed = await _removed(connection, "forget_turns", {"turns": turns})
        messages = await _removed(connection, "forget_messages_of_user", which)
        ingests = await _removed(connection, "forget_ingests_of_user", which)
        empty = await _found(connection, "empty_sessions", {"sessions": threads})
        rest = await _sessions(connection, empty)
        await connection.execute(_SQL["hold_owner"], which)
        memories = await _removed(connection, "forget_memories", which)
        await _removed(connection, "forget_owner", which)
    return Forgotten(
        sessions=rest.sessions,
        messages=messages + rest.messages,
        turns=removed + rest.turns,
        events=events + rest.events,
        steps=steps + rest.steps,
        citations=citations + rest.citations,
        jobs=rest.jobs,
        ingests=ingests,
        memories=memories,
    )


async def old_sessions(connection: Connection, days: float) -> Forgotten:
    """Forget some hundred threads, at most, in which nothing was said for so many days."""
    async with connection.transaction():
        return await _sessions(
            connection, await _found(connection, "expired_sessions", {"days": days})
        )


async def expire(pool: AsyncConnectionPool[AsyncConnection], days: float) -> None:
    """Until cancelled: forget what is older than so many days, at once and then every hour."""
    while True:
        try:
            async with pool.connection() as connection:
                while (gone := await old_sessions(connection, days)) != Forgotten():
                    _LOG.info("sessions_expired", sessions=gone.sessions, messages=gone.messages)
        except (Error, PoolTimeout) as error:
            _LOG.warning("expiry_failed", error=type(error).__name__)
        await asyncio.sleep(_EVERY_SECONDS)


async def _sessions(connection: Connection, sessions: Sequence[str]) -> Forgotten:
    if not sessions:
        return Forgotten()
    which = {"sessions": list(sessions)}
    turns = {"turns": await _found(connection, "turns_of_sessions", which)}
    await _removed(connection, "forget_transcripts", which)
    return Forgotten(
        steps=await _removed(connection, "forget_steps", turns),
        citations=await _removed(connection, "forget_citations", turns),
        events=await _removed(connection, "forget_events", which),
        turns=await _removed(connection, "forget_turns", turns),
        messages=await _removed(connection, "forget_messages", which),
        sessions=await _removed(connection, "forget_sessions", which),
        jobs=await _removed(connection, "forget_jobs", which),
    )


async def _found(connection: Connection, query: str, values: dict[str, Any]) -> list[str]:
    cursor = await connection.execute(_SQL[query], values)
    return [found for (found,) in await cursor.fetchall()]


async def _removed(connection: Connection, query: str, values: dict[str, Any]) -> int:
    return (await connection.execute(_SQL[query], values)).rowcount
