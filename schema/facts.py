"""What a database is like: server, extensions, engine, applied migrations, vector size."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import LiteralString

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict

from schema.errors import DatabaseDown

__all__ = ["Applied", "Facts", "connect", "inspect", "read"]

_CONNECT_SECONDS = 10
_NO_ADDRESS = (
    "FOOTNOTE_DATABASE_URL is no PostgreSQL address: it looks like "
    "postgresql://user:password@host:5432/database."
)


@dataclass(frozen=True, slots=True)
class Applied:
    """One recorded migration: the sha256 of its text when applied, and the value it was given."""

    sha256: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found. Extensions map name to version; a database never migrated has no engine.

    `server_version` counts as libpq does: 170009 is 17.9. `vector_size` is that of `corpus.emb`,
    whose vectors are those of `embedder`; nobody's before the first ingest. `memory_size` is that
    of `memories.emb`, by the same embedder.
    """

    database: str
    user: str
    server_version: int
    available: Mapping[str, str]
    installed: Mapping[str, str]
    applied: Mapping[str, Applied]
    engine: str | None
    vector_size: int | None
    embedder: str | None
    memory_size: int | None = None

    @property
    def server(self) -> str:
        """The server's version as people write it."""
        return f"{self.server_version // 10000}.{self.server_version % 10000}"


@asynccontextmanager
async def connect(conninfo: str) -> AsyncGenerator[AsyncConnection]:
    """Open a connection in autocommit mode, closed at the end.

    Raises:
        DatabaseDown: the address is none, or nobody answers there; without the password.
    """
    try:
        parameters = conninfo_to_dict(conninfo)
        timeout = int(parameters.get("connect_timeout") or _CONNECT_SECONDS)
    except (psycopg.ProgrammingError, ValueError):
        # The driver's message quotes the address, password included.
        raise DatabaseDown(_NO_ADDRESS) from None
    try:
        connection = await AsyncConnection.connect(
            conninfo, autocommit=True, connect_timeout=timeout
        )
    except psycopg.OperationalError as error:
        raise DatabaseDown(_down(parameters, error)) from None
    except UnicodeError:  # the name of no host: an empty label, or one of more than 63 characters
        raise DatabaseDown(_NO_ADDRESS) from None
    async with connection:
        yield connection


async def inspect(conninfo: str) -> Facts:
    """Return the facts of a database, whatever its state.

    Raises:
        DatabaseDown: it doesn't answer.
    """
    async with connect(conninfo) as connection:
        try:
            return await read(connection)
        except psycopg.OperationalError as error:
            raise DatabaseDown(_down(conninfo_to_dict(conninfo), error)) from None


async def read(connection: AsyncConnection) -> Facts:
    """Return the facts of the database at the other end."""
    available = await _pairs(
        connection, "SELECT name, default_version FROM pg_available_extensions"
    )
    installed = await _pairs(connection, "SELECT extname, extversion FROM pg_extension")
    applied: dict[str, Applied] = {}
    if await _has(connection, "footnote_migration"):
        cursor = await connection.execute("SELECT name, sha256, value FROM footnote_migration")
        applied = {name: Applied(sha256, value) for name, sha256, value in await cursor.fetchall()}
    settings: Mapping[str, str] = {}
    if await _has(connection, "footnote_setting"):
        settings = await _pairs(connection, "SELECT name, value FROM footnote_setting")
    return Facts(
        database=connection.info.dbname,
        user=connection.info.user,
        server_version=connection.info.server_version,
        available=available,
        installed=installed,
        applied=applied,
        engine=settings.get("engine"),
        vector_size=await _size(connection, "corpus"),
        embedder=settings.get("embedder"),
        memory_size=await _size(connection, "memories"),
    )


async def _size(connection: AsyncConnection, table: str) -> int | None:
    """Return the dimensions of a table's vectors; None when there is no such table."""
    cursor = await connection.execute(
        "SELECT atttypmod FROM pg_attribute"
        " WHERE attrelid = to_regclass(%s) AND attname = 'emb' AND NOT attisdropped",
        [table],
    )
    row = await cursor.fetchone()
    return row[0] if row else None


async def _has(connection: AsyncConnection, table: str) -> bool:
    cursor = await connection.execute("SELECT to_regclass(%s) IS NOT NULL", [table])
    row = await cursor.fetchone()
    return row is not None and bool(row[0])


async def _pairs(connection: AsyncConnection, query: LiteralString) -> Mapping[str, str]:
    cursor = await connection.execute(query)
    return dict(await cursor.fetchall())


def _down(parameters: Mapping[str, object], error: psycopg.OperationalError) -> str:
    host = parameters.get("host") or parameters.get("hostaddr") or "the local socket"
    port = parameters.get("port") or 5432
    reason = str(error).splitlines()[0].strip() if str(error) else "no answer"
    password = parameters.get("password")
    if password:
        reason = reason.replace(str(password), "…")
    return (
        f"The database at {host}, port {port}, doesn't answer ({reason}): start it, or correct "
        "FOOTNOTE_DATABASE_URL."
    )
