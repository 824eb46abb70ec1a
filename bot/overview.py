"""What the inbox and the queue look like from outside: counts, and the messages still open."""

from typing import Any

from psycopg.rows import dict_row

from bot.inbox import Connection
from bot.jobs import Pool, Queue
from schema.sql import load

__all__ = ["read", "retry_failed"]

_SQL = load("bot", "queries.sql")
_MOST = 200


async def read(connection: Connection) -> dict[str, Any]:
    """Return counts of messages and jobs by state, and the open messages, without their words."""
    counts = await (await connection.execute(_SQL["inbox_counts"])).fetchall()
    jobs = await (await connection.execute(_SQL["queue_counts"])).fetchall()
    async with connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SQL["inbox_open"], {"most": _MOST})
        still_open = await cursor.fetchall()
    return {
        "messages": dict(counts),
        "jobs": [{"task": t, "status": s, "count": count} for t, s, count in jobs],
        "open": still_open,
    }


async def retry_failed(pool: Pool, queue: Queue) -> int:
    """Let every failed message wait again, and wake their sessions; returns how many."""
    async with pool.connection() as connection, connection.transaction():
        cursor = await connection.execute(_SQL["retry_failed"])
        sessions = [session for (session,) in await cursor.fetchall()]
        for session in dict.fromkeys(sessions):
            await queue.wake(connection, session)
    return len(sessions)
