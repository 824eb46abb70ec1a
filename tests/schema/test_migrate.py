"""Migrations, and the check at start: each wrong state has its sentence."""

import asyncio
import importlib.util
import uuid
from dataclasses import replace
from pathlib import Path
from typing import LiteralString, cast
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from schema.errors import (
    DatabaseDown,
    DatabaseTooOld,
    ExtensionMissing,
    MigrationChanged,
    MigrationsPending,
    SchemaError,
    VectorSizeMismatch,
)
from schema.migrate import Facts, check, choose_engine, inspect, migrate, refuse_old

ENGINES = ["pg_search", "sql"]


async def execute(url: str, statement: LiteralString, *values: object) -> list[tuple[object, ...]]:
    """Run one statement in a connection of its own; return its rows, if it has any."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        cursor = await connection.execute(statement, values or None)
        return await cursor.fetchall() if cursor.description else []


@pytest.mark.parametrize("engine", ENGINES)
async def test_an_empty_database_gets_everything_once(empty_database_url: str, engine: str) -> None:
    """The first run applies all, the second nothing, and the check then passes."""
    first = await migrate(empty_database_url, vector_size=384, engine=engine)
    assert first.applied[0] == "0001_corpus.sql"
    assert first.applied[-2:] == (f"engines/{engine}/create.sql", "procrastinate/schema.sql")
    second = await migrate(empty_database_url, vector_size=384)
    assert (second.engine, second.applied) == (engine, ())
    installed = await check(empty_database_url, vector_size=384)
    assert (installed.engine, installed.vector_size) == (engine, 384)
    assert "vector" in installed.extensions
    assert ("pg_search" in installed.extensions) == (engine == "pg_search")


async def test_the_best_engine_is_the_default(empty_database_url: str) -> None:
    """A server that has pg_search gets it unless another engine is asked for."""
    assert (await migrate(empty_database_url, vector_size=384)).engine == "pg_search"


async def test_a_server_without_pg_search_gets_plain_sql(database_url: str) -> None:
    """Where only pgvector is available the engine is sql."""
    facts = replace(await inspect(database_url), engine=None, available={"vector": "0.8.2"})
    assert choose_engine(facts, None) == "sql"


async def test_a_server_with_vectorchord_gets_it(database_url: str) -> None:
    """Both of its extensions make it the first choice; one alone doesn't."""
    facts = replace(await inspect(database_url), engine=None)
    both = {**facts.available, "vchord": "1.1.1", "vchord_bm25": "0.3.0"}
    assert choose_engine(replace(facts, available=both), None) == "vchord"
    assert choose_engine(replace(facts, available=both), "sql") == "sql"
    del both["vchord"]
    assert choose_engine(replace(facts, available=both), None) == "pg_search"


async def test_vectorchord_is_not_forced_on_a_server_without(empty_database_url: str) -> None:
    """The sentence names the extension and the way out, and nothing is set up."""
    with pytest.raises(ExtensionMissing, match=r"no extension vchord,.*choose the engine sql"):
        await migrate(empty_database_url, vector_size=384, engine="vchord")
    assert (await inspect(empty_database_url)).engine is None


async def test_the_vector_size_is_put_into_the_table(empty_database_url: str) -> None:
    """The embedder's size becomes the column's and is recorded."""
    await migrate(empty_database_url, vector_size=768, engine="sql")
    facts = await inspect(empty_database_url)
    assert facts.vector_size == 768
    assert facts.applied["0001_corpus.sql"].value == "768"
    rows = await execute(empty_database_url, "SELECT name, value FROM footnote_setting")
    assert dict(cast("list[tuple[str, str]]", rows)) == {"engine": "sql", "vector_size": "768"}


async def test_another_vector_size_is_refused(database_url: str) -> None:
    """Both numbers are named, and nothing is changed."""
    with pytest.raises(VectorSizeMismatch, match=r"384.*768"):
        await check(database_url, vector_size=768)
    with pytest.raises(VectorSizeMismatch, match=r"384.*768"):
        await migrate(database_url, vector_size=768)


async def test_racing_migrations_apply_each_file_once(empty_database_url: str) -> None:
    """Of several starters one migrates, the others find it done."""
    async with asyncio.TaskGroup() as group:
        runs = [
            group.create_task(migrate(empty_database_url, vector_size=384, engine="sql"))
            for _ in range(4)
        ]
    assert sorted(bool(run.result().applied) for run in runs) == [False, False, False, True]


async def test_an_engine_is_not_changed(database_url: str) -> None:
    """Forcing another engine on a migrated database gets a sentence, and changes nothing."""
    with pytest.raises(SchemaError, match=r"pg_search, which can't be changed to sql"):
        await migrate(database_url, vector_size=384, engine="sql")
    assert (await check(database_url, vector_size=384)).engine == "pg_search"


async def test_an_unknown_engine_is_refused(empty_database_url: str) -> None:
    """The sentence names those there are."""
    with pytest.raises(SchemaError, match="choose one of vchord, pg_search, sql"):
        await migrate(empty_database_url, vector_size=384, engine="elastic")


@pytest.mark.parametrize("name", ["0001_corpus.sql", "engines/pg_search/create.sql"])
async def test_a_changed_migration_is_refused(database_url: str, name: str) -> None:
    """A file that reads differently from what was applied stops check and migration."""
    await execute(
        database_url, "UPDATE footnote_migration SET sha256 = 'other' WHERE name = %s", name
    )
    with pytest.raises(MigrationChanged, match=name):
        await check(database_url, vector_size=384)
    with pytest.raises(MigrationChanged, match=name):
        await migrate(database_url, vector_size=384)


async def test_a_newer_database_is_refused(database_url: str) -> None:
    """A migration that this version doesn't know means that a newer one was here."""
    await execute(
        database_url, "INSERT INTO footnote_migration VALUES ('9999_future.sql', 'x', NULL)"
    )
    with pytest.raises(MigrationChanged, match=r"9999_future\.sql.*newer footnote"):
        await check(database_url, vector_size=384)


async def test_an_empty_database_is_pending(empty_database_url: str) -> None:
    """The check of a database never migrated says what to run, and changes nothing."""
    with pytest.raises(MigrationsPending, match="footnote migrate"):
        await check(empty_database_url, vector_size=384)
    facts = await inspect(empty_database_url)
    assert (dict(facts.applied), facts.engine, facts.vector_size) == ({}, None, None)


async def test_a_missing_migration_is_named(database_url: str) -> None:
    """The check of an older database names what it lacks."""
    await execute(database_url, "DELETE FROM footnote_migration WHERE name LIKE '0002%'")
    with pytest.raises(MigrationsPending, match="0002_"):
        await check(database_url, vector_size=384)


async def test_a_failing_migration_leaves_nothing(empty_database_url: str) -> None:
    """In somebody else's database the file that fails is undone, and the sentence names it."""
    await execute(empty_database_url, "CREATE TABLE corpus (mine integer)")
    with pytest.raises(SchemaError, match=r"0001_corpus\.sql.*a database of its own"):
        await migrate(empty_database_url, vector_size=384, engine="sql")
    rows = await execute(empty_database_url, "SELECT to_regclass('document')")
    assert rows == [(None,)]


async def test_a_dropped_extension_is_noticed(database_url: str) -> None:
    """A database whose extension is gone doesn't pass the check."""
    await execute(database_url, "DROP EXTENSION pg_search CASCADE")
    with pytest.raises(ExtensionMissing, match="pg_search"):
        await check(database_url, vector_size=384)


async def test_an_unprivileged_user_is_told_what_a_superuser_must_do(
    empty_database_url: str,
) -> None:
    """Without the right to create extensions: which one, in which database, by whom."""
    role = f"plain_{uuid.uuid4().hex}"
    async with await psycopg.AsyncConnection.connect(empty_database_url, autocommit=True) as admin:
        await admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
        try:
            url = empty_database_url.replace("postgres@", f"{role}@")
            with pytest.raises(ExtensionMissing, match=f"{role}.*CREATE EXTENSION vector"):
                await migrate(url, vector_size=384)
        finally:
            await admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://somebody:hunter2@127.0.0.1:1/footnote",
        "postgresql://somebody:hunter2@/footnote?host=/nonexistent",
        "postgresql://somebody:hunter2@[::1/footnote",
        "hunter2 is no address",
    ],
)
async def test_a_database_that_is_down(address: str) -> None:
    """Nobody there, or no address at all: one sentence, and never the password."""
    for call in (
        inspect(address),
        check(address, vector_size=384),
        migrate(address, vector_size=384),
    ):
        with pytest.raises(DatabaseDown) as caught:
            await call
        assert "FOOTNOTE_DATABASE_URL" in str(caught.value)
        assert "hunter2" not in str(caught.value)
        assert "\n" not in str(caught.value)


async def test_an_absent_database_counts_as_down(empty_database_url: str) -> None:
    """A server that answers but has no such database gets the server's reason."""
    with pytest.raises(DatabaseDown, match="absent"):
        await inspect(empty_database_url.replace("/test_", "/absent_"))


async def test_an_old_server_is_refused(database_url: str) -> None:
    """PostgreSQL 14 lacks what the tables need."""
    facts: Facts = replace(await inspect(database_url), server_version=140011)
    with pytest.raises(DatabaseTooOld, match=r"14\.11.*15 or newer"):
        refuse_old(facts)


async def test_older_queue_tables_are_brought_up_to_date(empty_database_url: str) -> None:
    """A queue of procrastinate 3.3 gets exactly the steps that came later."""
    spec = importlib.util.find_spec("procrastinate")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0]) / "sql/migrations"
    files = sorted(path for path in folder.glob("*.sql"))
    async with await psycopg.AsyncConnection.connect(empty_database_url, autocommit=True) as old:
        for path in files:
            if path.name < "03.04":
                text = await asyncio.to_thread(path.read_text)
                await old.execute(cast("LiteralString", text))
        await old.execute(
            "CREATE TABLE footnote_migration (name text PRIMARY KEY, sha256 text NOT NULL,"
            " value text, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        await old.execute(
            "INSERT INTO footnote_migration VALUES ('procrastinate/schema.sql', 'x', '3.3.0')"
        )
    report = await migrate(empty_database_url, vector_size=384, engine="sql")
    queue = [name for name in report.applied if name.startswith("procrastinate/")]
    assert queue == [f"procrastinate/{path.name}" for path in files if path.name >= "03.04"]
    assert queue
    await check(empty_database_url, vector_size=384)
    assert (await migrate(empty_database_url, vector_size=384)).applied == ()


async def test_the_queue_that_is_made_at_once_counts_as_new(database_url: str) -> None:
    """Fresh queue tables are of the installed version and need no step."""
    facts = await inspect(database_url)
    assert facts.applied["procrastinate/schema.sql"].value is not None
    assert not [name for name in facts.applied if name.startswith("procrastinate/0")]


async def test_a_password_with_odd_characters_is_not_shown() -> None:
    """Neither the password as written nor as meant appears in the sentence."""
    secret = "p@ss word/ü"  # noqa: S105 - invented
    with pytest.raises(DatabaseDown) as caught:
        await inspect(f"postgresql://u:{quote(secret, safe='')}@127.0.0.1:1/x")
    assert secret not in str(caught.value)
    assert quote(secret, safe="") not in str(caught.value)
