"""The connections: one pool for everything, each connection set up for the engine.

Connections are in autocommit mode and return plain tuples, so that the queue can share the pool.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from schema.engines import Engine, engine_named
from schema.errors import DatabaseDown, MigrationsPending
from schema.facts import connect

__all__ = ["Pool", "open_pool"]

type Pool = AsyncConnectionPool[psycopg.AsyncConnection[tuple[object, ...]]]

# While a crashed server recovers and its keyword index is rebuilt, connections take a while.
_FIRST_CONNECTIONS_S: Final = 60.0
_CHECKOUT_S: Final = 10.0

# The pause between attempts doubles until they are given up, and the next request begins anew. So
# giving up soon brings connections back within 5 seconds of the end of an outage of any length.
_RECONNECT_S: Final = 12.0


@asynccontextmanager
async def open_pool(
    conninfo: str, *, engine: str, min_size: int = 1, max_size: int = 20
) -> AsyncGenerator[Pool]:
    """Open the pool on a migrated database, and close it at the end.

    A connection that died, with its server or alone, is replaced when it is next asked for.

    Raises:
        DatabaseDown: nothing answers, or it refuses us.
        MigrationsPending: the database has no corpus yet.
        ValueError: there is no such engine.
    """
    statements = engine_named(engine)
    await _first_look(conninfo)

    async def configure(connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        await _set_up(connection, statements)

    pool: Pool = AsyncConnectionPool(
        conninfo,
        min_size=min_size,
        max_size=max_size,
        timeout=_CHECKOUT_S,
        reconnect_timeout=_RECONNECT_S,
        configure=configure,
        check=AsyncConnectionPool.check_connection,
        name="footnote",
        open=False,
    )
    async with pool:
        try:
            await pool.wait(timeout=_FIRST_CONNECTIONS_S)
        except PoolTimeout as error:
            raise DatabaseDown(
                f"The database gave no connection within {_FIRST_CONNECTIONS_S:.0f} seconds: see "
                "whether it is up, and whether it has connections left."
            ) from error
        yield pool


async def _first_look(conninfo: str) -> None:
    """Connect once, because a pool only tells that it waited, not why."""
    async with connect(conninfo) as connection:
        cursor = await connection.execute("SELECT to_regclass('corpus') IS NOT NULL")
        row = await cursor.fetchone()
    if row != (True,):
        raise MigrationsPending("The database has no corpus yet: run `footnote migrate`.")


async def _set_up(connection: psycopg.AsyncConnection[tuple[object, ...]], engine: Engine) -> None:
    # Not among the pool's `kwargs`: the queue opens its listening connection with those and
    # its own `autocommit`, and Python refuses a keyword given twice.
    await connection.set_autocommit(True)
    await connection.execute(engine.session)
    await register_vector_async(connection)
    if engine.heal is not None:
        await connection.execute(engine.heal)
