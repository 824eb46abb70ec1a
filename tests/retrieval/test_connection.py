"""What goes wrong between program and database: the right sentence, and who asks again."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from retrieval.connection import connected, reading
from retrieval.errors import ConnectionLost, QueryFailed
from retrieval.search import Search
from schema.database import Pool, open_pool
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import open_store, prepared, put

type Connection = psycopg.AsyncConnection[Any]

END_OF_CONNECTION = "SELECT pg_terminate_backend(pg_backend_pid())"


@asynccontextmanager
async def open_one(database_url: str) -> AsyncGenerator[Pool]:
    """A pool of one connection."""
    async with open_pool(database_url, engine="pg_search", max_size=1) as pool:
        yield pool


@pytest.mark.parametrize(
    ("sqlstate", "words"),
    [
        ("53100", "no room left on its disk"),
        ("53200", "no memory left"),
        ("53300", "no connection left"),
        ("40P01", "busy"),
        ("40001", "busy"),
        ("57014", "stopped"),
        ("57P03", "doesn't answer"),
        ("25006", "takes no changes"),
        ("58030", "read or write its files"),
        ("XX001", "read or write its files"),
        ("22000", "refused"),
        ("42P01", "refused"),
    ],
)
async def test_an_error_is_told_by_what_it_is(
    database_url: str, sqlstate: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk does not pass in a minute; the log has the state, and nothing that was said."""
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'quoted text' USING ERRCODE = '{sqlstate}'; END $$"
    async with open_one(database_url) as pool:
        with pytest.raises(QueryFailed, match=words):
            async with connected(pool) as connection:
                await connection.execute(raising.encode())
    (record,) = [each for each in caplog.records if each.name == "retrieval.connection"]
    assert record.message == "query_failed"
    assert vars(record)["sqlstate"] == sqlstate
    assert "quoted" not in str(vars(record))


async def test_a_time_limit_and_a_lock_are_no_outage(database_url: str) -> None:
    """A statement over its time and one that found a lock taken say so."""
    async with open_pool(database_url, engine="pg_search", max_size=2) as pool:
        with pytest.raises(QueryFailed, match="stopped"):
            async with connected(pool) as connection:
                await connection.execute("SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)")
        async with connected(pool) as one, one.transaction():
            await one.execute("LOCK TABLE corpus")
            with pytest.raises(QueryFailed, match="busy"):
                async with connected(pool) as other, other.transaction():
                    await other.execute("LOCK TABLE corpus NOWAIT")


async def test_what_reads_is_asked_once_more_when_the_connection_breaks(database_url: str) -> None:
    """A question outlives the restart of its connection's server; one that breaks twice is told."""
    asked = 0

    async def breaking_once(connection: Connection) -> object:
        nonlocal asked
        asked += 1
        await connection.execute(END_OF_CONNECTION if asked == 1 else "SELECT")
        return asked

    async def breaking(connection: Connection) -> None:
        nonlocal asked
        asked += 1
        await connection.execute(END_OF_CONNECTION)

    async with open_one(database_url) as pool:
        assert await reading(pool, breaking_once) == 2
        asked = 0
        with pytest.raises(ConnectionLost, match="doesn't answer"):
            await reading(pool, breaking)
        assert asked == 2


async def test_what_is_refused_is_not_asked_again(database_url: str) -> None:
    """Only a broken connection is worth a second try."""
    asked = 0

    async def refused(connection: Connection) -> None:
        nonlocal asked
        asked += 1
        await connection.execute("SELECT 1 / 0")

    async with open_one(database_url) as pool:
        with pytest.raises(QueryFailed, match="refused"):
            await reading(pool, refused)
    assert asked == 1


async def test_a_write_is_never_repeated(database_url: str) -> None:
    """Whether a broken write was kept is unknown, so its caller is told at once."""
    async with open_store(database_url, "pg_search") as store:
        with psycopg.connect(database_url, autocommit=True) as connection:
            # A sequence counts what a rollback takes back.
            connection.execute("""
                CREATE SEQUENCE writes;
                CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    PERFORM nextval('writes'), pg_terminate_backend(pg_backend_pid());
                    RETURN NEW;
                END $$;
                CREATE TRIGGER break BEFORE INSERT ON document
                    FOR EACH ROW EXECUTE FUNCTION break()
            """)
            with pytest.raises(ConnectionLost):
                await put(store, prepared("doc", ["one"]))
            assert connection.execute("SELECT last_value FROM writes").fetchone() == (1,)


async def test_an_embedder_that_is_down_is_logged(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The reply says so to who asked; the log to who runs it, without the question."""
    embedder = BagOfWords()
    embedder.down = True
    async with open_store(database_url, "pg_search") as store:
        await Search(store, embedder, max_distance=0.9).search("zebra crossing")
    (record,) = [each for each in caplog.records if each.name == "retrieval.search"]
    assert record.message == "embedder_down"
    assert "zebra" not in str(vars(record))
