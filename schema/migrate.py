"""Bring a database up to date, and check at start that it is.

Migrations are the files `schema/migrations/NNNN_words.sql`, then the engine's `create.sql`, then
the queue's own schema. Each is one transaction and leaves its name, its sha256 and the value it
was given in `footnote_migration`; the whole run holds an advisory lock.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString, cast

import psycopg
from psycopg import AsyncConnection

from schema.errors import (
    DatabaseDown,
    DatabaseTooOld,
    EmbedderMismatch,
    ExtensionMissing,
    MigrationChanged,
    MigrationsPending,
    SchemaError,
    VectorSizeMismatch,
)
from schema.facts import Facts, connect, inspect, read
from schema.shipped import ENGINES, QUEUE_BASE, Migration, Shipped, load

__all__ = [
    "ENGINES",
    "Facts",
    "Installed",
    "MigrationReport",
    "check",
    "choose_engine",
    "inspect",
    "migrate",
    "refuse_old",
]

_EXTENSIONS: Final[Mapping[str, Sequence[str]]] = {
    "vchord": ("vector", "vchord", "vchord_bm25"),
    "pg_search": ("vector", "pg_search"),
    "sql": ("vector",),
}
_CREATE_EXTENSION: Final[Mapping[str, LiteralString]] = {
    "vector": "CREATE EXTENSION IF NOT EXISTS vector",
    "pg_search": "CREATE EXTENSION IF NOT EXISTS pg_search",
    "vchord": "CREATE EXTENSION IF NOT EXISTS vchord CASCADE",
    "vchord_bm25": "CREATE EXTENSION IF NOT EXISTS vchord_bm25",
}
_OLDEST = 150000  # UNIQUE NULLS NOT DISTINCT
_LOCK = 7021896103154217  # any number that is always the same


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What `migrate` did: the names applied now (none when all was up to date)."""

    engine: str
    vector_size: int
    applied: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Installed:
    """A database that is ready: its engine, its vectors' size and the versions in it."""

    engine: str
    vector_size: int
    server: str
    extensions: Mapping[str, str]


async def migrate(conninfo: str, *, vector_size: int, engine: str | None = None) -> MigrationReport:
    """Apply what is missing; a second run applies nothing.

    Args:
        conninfo: the database's address, with the right to create tables and extensions.
        vector_size: dimensions of the embedder.
        engine: one of `ENGINES`; None takes the database's own, else the best it can run.

    Raises:
        SchemaError: one of its kinds, with the sentence that says what to do.
    """
    if engine is not None and engine not in ENGINES:
        raise SchemaError(f"There is no engine {engine}: choose one of {', '.join(ENGINES)}.")
    files = await asyncio.to_thread(load)
    async with connect(conninfo) as connection:
        try:
            await connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            return await _migrate(connection, files, vector_size, engine)
        except psycopg.OperationalError as error:
            raise DatabaseDown(
                "The database went away during the migration, of which each finished file is "
                "kept: run `footnote migrate` again."
            ) from error


async def check(conninfo: str, *, vector_size: int, embedder: str | None = None) -> Installed:
    """Return what a ready database holds.

    Args:
        conninfo: the database's address.
        vector_size: dimensions of the embedder.
        embedder: its name, None when it doesn't matter.

    Raises:
        SchemaError: DatabaseDown, DatabaseTooOld, EmbedderMismatch, ExtensionMissing,
            MigrationChanged, MigrationsPending or VectorSizeMismatch.
    """
    files = await asyncio.to_thread(load)
    found = await inspect(conninfo)
    refuse_old(found)
    _refuse_changed(found, files)
    if found.engine is None:
        raise MigrationsPending(
            f"The database {found.database} isn't set up: run `footnote migrate`."
        )
    wanted = files.for_database(found, choose_engine(found, None))
    missing = [item.name for item in wanted if item.name not in found.applied]
    if missing:
        raise MigrationsPending(
            f"The database {found.database} lacks {', '.join(missing)}: run `footnote migrate`."
        )
    for extension in _EXTENSIONS[found.engine]:
        if extension not in found.installed:
            raise ExtensionMissing(
                f"The extension {extension} was dropped from the database {found.database}: "
                "restore the database from a backup, or migrate a fresh one."
            )
    _refuse_other_size(found, vector_size)
    if embedder is not None and found.embedder not in {None, embedder}:
        raise EmbedderMismatch(
            f"The corpus has the vectors of {found.embedder}, and the embedder is {embedder}: run "
            "`footnote reembed`, or set the embedder that it had."
        )
    return Installed(found.engine, vector_size, found.server, found.installed)


async def _migrate(
    connection: AsyncConnection, files: Shipped, vector_size: int, wanted: str | None
) -> MigrationReport:
    found = await read(connection)
    refuse_old(found)
    _refuse_changed(found, files)
    if found.vector_size is not None:
        _refuse_other_size(found, vector_size)
    engine = choose_engine(found, wanted)
    for extension in _EXTENSIONS[engine]:
        await _create_extension(connection, found, extension, engine)
    if engine == "vchord":
        await _refuse_other_vchord(connection)
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS footnote_migration ("
        " name text PRIMARY KEY, sha256 text NOT NULL, value text,"
        " applied_at timestamptz NOT NULL DEFAULT now())"
    )
    applied: list[str] = []
    for migration in files.for_database(found, engine):
        if migration.name not in found.applied:
            await _apply(connection, migration, vector_size)
            applied.append(migration.name)
    async with connection.transaction():
        for name, value in (("engine", engine), ("vector_size", str(vector_size))):
            await connection.execute(
                "INSERT INTO footnote_setting (name, value) VALUES (%s, %s)"
                " ON CONFLICT (name) DO NOTHING",
                [name, value],
            )
    return MigrationReport(engine, vector_size, tuple(applied))


async def _apply(connection: AsyncConnection, migration: Migration, vector_size: int) -> None:
    text = cast("LiteralString", migration.text.replace(":vector_size", str(int(vector_size))))
    value = str(vector_size) if text != migration.text else migration.value
    try:
        async with connection.transaction():
            # Without parameters, so that a file may hold many statements.
            await connection.execute(text)
            await connection.execute(
                "INSERT INTO footnote_migration (name, sha256, value) VALUES (%s, %s, %s)",
                [migration.name, migration.sha256, value],
            )
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        raise SchemaError(
            f"The migration {migration.name} failed and nothing of it was kept "
            f"({error.diag.message_primary or error}): footnote needs a database of its own, "
            "and a user who may create tables in it."
        ) from error


async def _create_extension(
    connection: AsyncConnection, found: Facts, extension: str, engine: str
) -> None:
    if extension in found.installed:
        return
    if extension not in found.available:
        advice = (
            "install pgvector on it"
            if extension == "vector"
            else "choose the engine sql, or install it"
        )
        raise ExtensionMissing(
            f"The server has no extension {extension}, which the engine {engine} needs: {advice}."
        )
    statement = _CREATE_EXTENSION[extension]
    try:
        await connection.execute(statement)
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        raise ExtensionMissing(
            f"The user {found.user} can't create the extension {extension} "
            f"({error.diag.message_primary or error}): have a superuser run "
            f"CREATE EXTENSION {extension} in the database {found.database}, "
            "then run `footnote migrate` again."
        ) from error


async def _refuse_other_vchord(connection: AsyncConnection) -> None:
    """Refuse a VectorChord-BM25 that isn't of the kind engines/vchord is written for.

    The release after 0.3 is to index tsvector, under the same name of the extension.
    """
    cursor = await connection.execute("SELECT to_regtype('bm25_catalog.bm25vector') IS NOT NULL")
    if await cursor.fetchone() != (True,):
        raise ExtensionMissing(
            "The server's vchord_bm25 has no type bm25vector for this user to see: footnote needs "
            "version 0.3 of it, and USAGE on the schema bm25_catalog; or choose the engine sql."
        )


def choose_engine(found: Facts, wanted: str | None) -> str:
    """Return the engine: the database's own, else the wanted one, else the best there is.

    Raises:
        SchemaError: the database has another than the wanted one, or one unknown here.
    """
    if found.engine is not None:
        if wanted not in (None, found.engine):
            raise SchemaError(
                f"The database {found.database} was set up with the engine {found.engine}, which "
                f"can't be changed to {wanted}: migrate a fresh database and ingest again, or "
                "take the setting back."
            )
        if found.engine not in ENGINES:
            raise SchemaError(
                f"The database {found.database} has the engine {found.engine}, which this version "
                "doesn't know: run the newer footnote."
            )
        return found.engine
    if wanted is not None:
        return wanted
    for engine in ENGINES:
        if all(extension in found.available for extension in _EXTENSIONS[engine]):
            return engine
    return "sql"


def refuse_old(found: Facts) -> None:
    """Raise DatabaseTooOld for a server that lacks what the tables need."""
    if found.server_version < _OLDEST:
        raise DatabaseTooOld(
            f"The server is PostgreSQL {found.server}; footnote needs 15 or newer: upgrade it, or "
            "unset FOOTNOTE_DATABASE_URL to use the embedded one."
        )


def _refuse_changed(found: Facts, files: Shipped) -> None:
    known = {item.name: item.sha256 for item in (*files.own, *files.engines.values())}
    queue = {QUEUE_BASE, *(step.name for step in files.queue_steps)}
    for name, applied in sorted(found.applied.items()):
        # The queue's files are its own affair; their texts may change with its releases.
        if name in queue or known.get(name) == applied.sha256:
            continue
        if name in known:
            raise MigrationChanged(
                f"The migration {name} was applied to the database {found.database} with another "
                "text than this version has: put the file back as it was, and write a new one."
            )
        raise MigrationChanged(
            f"The database {found.database} has the migration {name}, unknown to this version: "
            "run the newer footnote that applied it."
        )


def _refuse_other_size(found: Facts, vector_size: int) -> None:
    if found.vector_size != vector_size:
        raise VectorSizeMismatch(
            f"The table's vectors have {found.vector_size} dimensions and the embedder's "
            f"{vector_size}: configure the embedder the corpus was ingested with, or run "
            "`footnote reembed`."
        )
    if found.memory_size not in {None, vector_size}:
        raise VectorSizeMismatch(
            f"The vectors of memories have {found.memory_size} dimensions and those of the corpus "
            f"{vector_size}: restore both tables from one backup."
        )
