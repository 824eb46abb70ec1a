"""The memories in PostgreSQL: each query is of one owner, and one writer of an owner at a time.

The database itself refuses the same words twice. What says nearly the same takes the place of
what was said before. A memory may lack its vector for a while: the process that took it had no
embedder, or it was down; `settle` gives it one later.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row

from bot.memory.memories import Fact, Kept, Memory, Owner
from retrieval.connection import connected, reading, storable
from retrieval.embedding import Vector
from schema import Pool
from schema.sql import load

__all__ = ["Embedded", "Memories"]

_SQL: Final = load("bot.memory", "queries.sql")
_ALIKE: Final = 0.95  # cosine similarity from which on two memories say the same
_NEAR: Final = 0.5  # … and from which on one has to do with a question
_RECALLED: Final = 5
_AT_ONCE: Final = 64

type Connection = AsyncConnection[Any]
type Embedded = tuple[str, Vector]
"""The name of an embedder, and the vector by it."""


class Memories:
    """What people told the bot. `cap` is how many memories one person may have."""

    def __init__(self, pool: Pool, cap: int = 1_000) -> None:
        self._pool: Pool = pool
        self._cap: int = cap

    async def enabled(self, owner: Owner) -> bool:
        """Tell whether somebody wants to be remembered."""
        ((enabled,),) = await self._fetch("is_enabled", owner)
        return bool(enabled)

    async def turn(self, owner: Owner, *, on: bool) -> None:
        """Turn somebody's memory on or off; what is remembered stays."""
        await self._execute("turn", owner, enabled=on)

    async def add(
        self,
        owner: Owner,
        fact: Fact,
        embedded: Embedded | None = None,
        *,
        thread: str | None = None,
        turn: str | None = None,
    ) -> Kept | None:
        """Remember a fact.

        Args:
            owner: whose it is.
            fact: what to remember, fit for it (`bot.memory.rules`).
            embedded: its vector, when there is an embedder.
            thread: the session in which it was said.
            turn: the turn that it was learned from; once that is forgotten, or its author has
                had something forgotten since, nothing is kept.

        Returns:
            What became of it; None when the owner has turned memory off, or wants it forgotten.
        """
        values = {
            "content": storable(fact.content),
            "type": fact.type,
            "importance": fact.importance,
            "thread": thread,
        }
        async with connected(self._pool) as connection, connection.transaction():
            if turn is not None and not await _row(connection, "turn_stands", owner, turn=turn):
                return None
            if await _row(connection, "take_owner", owner) != (True,):
                return None
            if turn is not None and await _row(connection, "forgotten_since", owner, turn=turn):
                return None
            await connection.execute(_SQL["hold_table"])
            if known := await _row(connection, "refresh", owner, **values):
                return Kept(known[1], known=True)
            identity, number = await _row(connection, "insert", owner, **values) or ("", 0)
            replaced = 0
            if embedded is not None:
                replaced = await _settle(connection, owner, identity, embedded)
            await _run(connection, "evict", owner, id=identity, cap=self._cap)
            return Kept(number, replaced=replaced)

    async def unsettled(self, owner: Owner) -> list[tuple[str, str]]:
        """Return the ids and words of some memories that have no vector yet."""
        return await self._fetch("without_vector", owner, limit=_AT_ONCE)

    async def settle(self, owner: Owner, identity: str, embedded: Embedded) -> None:
        """Give a memory its vector; older ones that say nearly the same leave."""
        async with connected(self._pool) as connection, connection.transaction():
            await _run(connection, "take_owner", owner)
            await connection.execute(_SQL["hold_table"])
            await _settle(connection, owner, identity, embedded)

    async def nearest(
        self, owner: Owner, vector: Vector, limit: int = _RECALLED, at_least: float = _NEAR
    ) -> list[Memory]:
        """Return the memories that have most to do with a vector; none when turned off."""
        return await self._memories("nearest", owner, vector=vector, limit=limit, at_least=at_least)

    async def foremost(self, owner: Owner, limit: int = _RECALLED) -> list[Memory]:
        """Return the most important memories; none when turned off."""
        return await self._memories("foremost", owner, limit=limit)

    async def used(self, owner: Owner, ids: Sequence[str]) -> None:
        """Count that memories were of use."""
        await self._execute("used", owner, ids=list(ids))

    async def page(
        self, owner: Owner, limit: int, offset: int = 0
    ) -> tuple[tuple[Memory, ...], int]:
        """Return memories as their owner lists them, newest first, and how many there are."""
        rows = await self._fetch("list", owner, limit=limit, offset=offset)
        return tuple(Memory(*row[:-1]) for row in rows), rows[0][-1] if rows else 0

    async def export(self, owner: Owner) -> list[dict[str, Any]]:
        """Return all that is kept of somebody, ready to be written as JSON."""

        async def ask(connection: Connection) -> list[dict[str, Any]]:
            async with connection.cursor(row_factory=dict_row) as cursor:
                await cursor.execute(_SQL["export"], _named(owner))
                return await cursor.fetchall()

        times = ("created_at", "last_used")
        return [
            {**row, **{name: row[name] and row[name].isoformat() for name in times}}
            for row in await reading(self._pool, ask)
        ]

    async def teams(self, user: str) -> list[str]:
        """Return the workspaces in which somebody has memories, or has made a choice."""
        return [team for (team,) in await self._fetch("teams", Owner("", user))]

    async def forget(self, owner: Owner, number: int) -> bool:
        """Remove one memory; False when there is none of this number."""
        return bool(await self._forget("forget", owner, number=number))

    async def forget_words(self, owner: Owner, content: str) -> int:
        """Remove the memory that says just this; returns how many there were."""
        return await self._forget("forget_words", owner, content=storable(content))

    async def clear(self, owner: Owner) -> int:
        """Remove all memories of somebody; returns how many there were."""
        return await self._forget("clear", owner)

    async def _forget(self, query: str, owner: Owner, **values: object) -> int:
        """Remove memories; returns how many there were.

        What is just being learned of what was said before isn't kept either: what is meant may be
        among it, and what somebody wants forgotten is noted nowhere, to be compared with it.
        """
        async with connected(self._pool) as connection, connection.transaction():
            await _run(connection, "note_forgotten", owner)
            return (await _run(connection, query, owner, **values)).rowcount

    async def _memories(self, query: str, owner: Owner, **values: object) -> list[Memory]:
        async def ask(connection: Connection) -> list[Memory]:
            async with connection.cursor(row_factory=class_row(Memory)) as cursor:
                await cursor.execute(_SQL[query], _named(owner, values))
                return await cursor.fetchall()

        return await reading(self._pool, ask)

    async def _fetch(self, query: str, owner: Owner, **values: object) -> list[Any]:
        async def ask(connection: Connection) -> list[Any]:
            cursor = await connection.execute(_SQL[query], _named(owner, values))
            return await cursor.fetchall()

        return await reading(self._pool, ask)

    async def _execute(self, query: str, owner: Owner, **values: object) -> int:
        async with connected(self._pool) as connection:
            return (await connection.execute(_SQL[query], _named(owner, values))).rowcount


async def _settle(connection: Connection, owner: Owner, identity: str, embedded: Embedded) -> int:
    """Give a memory its vector, unless another embedder has taken over; returns what it replaced.

    Without it the memory waits for `reembed`, or for the bot to be restarted.
    """
    name, vector = embedded
    cursor = await connection.execute(_SQL["embedder"])
    known = await cursor.fetchone()
    if known is None:
        await connection.execute(_SQL["claim_embedder"], {"embedder": name})
    elif known != (name,):
        return 0
    cursor = await _run(
        connection, "near_duplicates", owner, id=identity, vector=vector, alike=_ALIKE
    )
    older = [each for (each,) in await cursor.fetchall()]
    if older:
        await _run(connection, "supersede", owner, id=identity, ids=older)
    await _run(connection, "set_vector", owner, id=identity, vector=vector)
    return len(older)


async def _run(connection: Connection, query: str, owner: Owner, **values: object) -> Any:
    return await connection.execute(_SQL[query], _named(owner, values))


async def _row(
    connection: Connection, query: str, owner: Owner, **values: object
) -> tuple[Any, ...] | None:
    cursor = await _run(connection, query, owner, **values)
    return await cursor.fetchone()


def _named(owner: Owner, values: Mapping[str, object] | None = None) -> dict[str, object]:
    return {"team": storable(owner.team), "owner": storable(owner.user), **(values or {})}
