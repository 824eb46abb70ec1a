"""The log of a session in the database: appended to, never rewritten, read newest first."""

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import args_row
from psycopg.types.json import Jsonb

from bot.window import Entry, Event, estimate
from schema.sql import load

__all__ = ["append", "context_due", "keep_context", "read"]

_SQL = load("bot", "queries.sql")
_MOST_EVENTS = 600  # of the newest; more than any window holds
_ALL_TOKENS = 1 << 40

type Connection = AsyncConnection[Any]


async def append(
    connection: Connection, session: str, entries: Sequence[Entry], turn: str | None = None
) -> None:
    """Add events to a log, in a transaction, numbered on from the last one.

    A session that was forgotten meanwhile has no log, and gets none.
    """
    cursor = await connection.execute(
        _SQL["next_numbers"], {"session": session, "count": len(entries)}
    )
    row = await cursor.fetchone()
    if row is None or not entries:
        return
    first = int(row[0]) - len(entries) + 1
    async with connection.cursor() as many:
        await many.executemany(
            _SQL["append_event"],
            [
                {
                    "session": session,
                    "number": number,
                    "kind": entry.kind,
                    "turn": turn,
                    "author": entry.author,
                    "text": entry.text,
                    "data": Jsonb(dict(entry.data)),
                    "tokens": estimate(entry.text),
                }
                for number, entry in enumerate(entries, start=first)
            ],
        )


async def read(
    connection: Connection, session: str, tokens: int = _ALL_TOKENS
) -> tuple[Event, ...]:
    """Return the newest events of a session in one snapshot, oldest first.

    `tokens` bounds how much is read; context, summaries, edits and deletions always are.
    """
    values = {"session": session, "most": _MOST_EVENTS, "tokens": tokens}
    async with connection.cursor(row_factory=args_row(Event)) as cursor:
        await cursor.execute(_SQL["read_log"], values)
        return tuple(await cursor.fetchall())


async def context_due(connection: Connection, session: str) -> bool:
    """Tell whether what stood in the thread before is still to be read, once."""
    cursor = await connection.execute(_SQL["context_due"], {"session": session})
    row = await cursor.fetchone()
    return bool(row and row[0])


async def keep_context(connection: Connection, session: str, entries: Sequence[Entry]) -> None:
    """Append what stood in the thread before; when others have done so, nothing."""
    async with connection.transaction():
        cursor = await connection.execute(_SQL["context_read"], {"session": session})
        if await cursor.fetchone() is not None:
            await append(connection, session, entries)
