"""Another embedder for what is stored: a new column, filled beside the old one, then swapped.

Searches and ingests go on with the old vectors until the swap, which is one transaction. What
is filled stays filled: a run that was killed goes on where it was, and one for another embedder
starts over.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import sql

from retrieval.connection import connected
from retrieval.embedding_calls import Calls
from retrieval.errors import EmbedderDown, QueryFailed
from retrieval.store import Store
from schema.sql import load

if TYPE_CHECKING:
    from retrieval.embedding import Embedder
    from schema.database import Pool
    from schema.engines import Engine

__all__ = ["TABLES", "ReembedReport", "Target", "reembed"]

_QUERIES: Final = load("retrieval", "reembed.sql")
_ROWS: Final = 128
_SWAP_ATTEMPTS: Final = 30
_SWAP_PAUSE_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Target:
    """A table with vectors; `next_rows` names the query that gives ids and what is embedded."""

    table: str
    next_rows: str


TABLES: Final = (Target("corpus", "next_corpus"), Target("memories", "next_memories"))
"""All of them, in the order in which they are locked. One that doesn't exist is passed over."""


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What was done. `before` is None when nothing had been ingested; `changed` False: no need."""

    before: str | None
    after: str
    size: int
    changed: bool
    embedded: int = 0


async def reembed(
    pool: "Pool",
    engine: "Engine",
    embedder: "Embedder",
    *,
    tables: Sequence[Target] = TABLES,
    progress: Callable[[int, int], None] | None = None,
) -> ReembedReport:
    """Make all vectors anew by this embedder. `progress` is told how many of how many are done.

    Raises:
        EmbedderDown: it doesn't answer; what was filled is kept for the next run.
        QueryFailed: the database is down, or another process is at it.
    """
    async with connected(pool) as connection, _alone(connection):
        run = _Run(connection, embedder, progress)
        settings = dict(await run.fetch("settings"))
        before = settings.get("embedder")
        if before == embedder.name and settings.get("vector_size") == str(embedder.size):
            return ReembedReport(before, embedder.name, embedder.size, changed=False)
        there = [each for each in tables if (await run.fetch("exists", table=each.table))[0][0]]
        await run.prepare(there, settings.get("reembedding"))
        for _ in range(_SWAP_ATTEMPTS):
            for target in there:
                await run.fill(target)
                await connection.execute(_on(target, "index"))
            if await run.swap(there):
                break
            await asyncio.sleep(_SWAP_PAUSE_S)
        else:
            raise QueryFailed(
                "The tables are in use all the time: all vectors are made, so run "
                "`footnote reembed` again in a quieter minute."
            )
    await Store(pool, engine).maintain()
    return ReembedReport(before, embedder.name, embedder.size, changed=True, embedded=run.done)


@asynccontextmanager
async def _alone(connection: psycopg.AsyncConnection[Any]) -> AsyncGenerator[None]:
    cursor = await connection.execute(_QUERIES["lock"])
    if await cursor.fetchone() != (True,):
        raise QueryFailed("Another process is making the vectors anew: wait for it.")
    try:
        yield
    finally:
        # Before the connection goes back to the pool; a lost one has lost its locks as well.
        if not connection.closed:
            await connection.execute("SELECT pg_advisory_unlock_all()")


@dataclass(slots=True)
class _Run:
    """One run on one connection."""

    connection: psycopg.AsyncConnection[Any]
    embedder: "Embedder"
    progress: Callable[[int, int], None] | None
    done: int = 0
    total: int = 0

    async def prepare(self, targets: Sequence[Target], begun: str | None) -> None:
        """Make room for the new vectors, and keep those that an earlier run made."""
        goal = f"{self.embedder.name} {self.embedder.size}"
        async with self.connection.transaction():
            for target in targets:
                if begun != goal:
                    await self.connection.execute(_on(target, "start_over"))
                await self.connection.execute(_on(target, "add_column", self.embedder.size))
            await self.connection.execute(_QUERIES["begin"], {"goal": goal})
        for target in targets:
            cursor = await self.connection.execute(_on(target, "remaining"))
            self.total += (await cursor.fetchall())[0][0]

    async def fill(self, target: Target) -> None:
        """Give every row that has none a new vector; what an ingest adds meanwhile is next."""
        after = ""
        while rows := await self.fetch(target.next_rows, after=after, limit=_ROWS):
            texts = dict(rows)
            (found,) = await Calls(self.embedder).vectors([texts])
            if isinstance(found, EmbedderDown):
                raise found
            await self.connection.execute(
                _on(target, "fill"), {"ids": list(found), "vectors": list(found.values())}
            )
            after = rows[-1][0]
            self.done += len(rows)
            self.total = max(self.total, self.done)
            if self.progress is not None:
                self.progress(self.done, self.total)

    async def swap(self, targets: Sequence[Target]) -> bool:
        """Let the new vectors take over, unless a table is busy or has rows without one."""
        try:
            async with self.connection.transaction():
                for target in targets:
                    await self.connection.execute(_on(target, "lock_table"))
                    cursor = await self.connection.execute(_on(target, "remaining"))
                    if await cursor.fetchone() != (0,):
                        raise psycopg.Rollback
                for target in targets:
                    await self.connection.execute(_on(target, "swap"))
                size = str(self.embedder.size)
                await self.connection.execute(
                    _QUERIES["finish"], {"embedder": self.embedder.name, "size": size}
                )
                await self.connection.execute(_QUERIES["forget"])
                return True
        except psycopg.errors.LockNotAvailable:
            pass
        return False

    async def fetch(self, query: str, **parameters: object) -> list[Any]:
        """Return the rows of a query."""
        cursor = await self.connection.execute(_QUERIES[query], parameters or None)
        return await cursor.fetchall()


def _on(target: Target, query: str, size: int = 0) -> sql.Composed:
    return sql.SQL(_QUERIES[query]).format(
        table=sql.Identifier(target.table), name=sql.Literal(target.table), size=sql.Literal(size)
    )
