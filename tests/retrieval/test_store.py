"""The store against the real database."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import numpy as np
import psycopg
import pytest

from retrieval.documents import Filters
from retrieval.errors import QueryFailed
from retrieval.store import Kind, Store
from retrieval.writing import Ready
from schema.database import Pool, open_pool
from schema.embedded import Server, use
from schema.engines import engine_named
from schema.errors import DatabaseDown, MigrationsPending
from schema.migrate import migrate
from schema.sql import load
from tests.retrieval.bag_of_words import SIZE, vector_of
from tests.retrieval.corpora import ENGINES, open_store, prepared, put

INDEX_VECTORS = load("schema", "engines/hnsw.sql")["index_vectors"]

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)


def versions_of_rows(database_url: str) -> dict[str, str]:
    """The transaction that last wrote each chunk: a row that was left alone keeps its own."""
    with psycopg.connect(database_url) as connection:
        return dict(connection.execute("SELECT id, xmin::text FROM corpus").fetchall())


async def test_vectors_come_in_the_exact_order_of_their_distances(database_url: str) -> None:
    """The twenty nearest are those that numpy finds, with the same cosine distances."""
    texts = [f"w{n % 7} w{n % 11} w{n} alpha" for n in range(100)]
    async with open_store(database_url, "pg_search") as store:
        await put(store, prepared("doc", texts))
        asked = vector_of("w3 w5 alpha")
        hits = await store.search_vectors(asked, Filters())
    distances = [1 - float(np.dot(vector_of(text), asked)) for text in texts]
    expected = sorted(range(100), key=lambda n: distances[n])[:20]
    assert [hit.chunk_id for hit in hits] == [f"doc-{n:04}" for n in expected]
    assert [hit.score for hit in hits] == pytest.approx(sorted(distances)[:20], abs=1e-5)


async def test_filters_act_inside_the_vector_search(database_url: str) -> None:
    """A far service still yields twenty, and nothing of another team or channel shows up."""
    async with open_store(database_url, "pg_search") as store:
        await put(store, prepared("near", ["alarm"] * 100))
        await put(store, prepared("far", ["quite other words"] * 25, service="search"))
        await put(store, prepared("theirs", ["alarm"] * 5, service="search", team="T2"))
        await put(store, prepared("secret", ["alarm"] * 5, service="search", audience="C2"))
        filters = Filters(services=("search",), doc_types=("runbook",), team="T1", audience="C1")
        hits = await store.search_vectors(vector_of("alarm"), filters)
    assert len(hits) == 20
    assert all(hit.chunk_id.startswith("far-") for hit in hits)


@asynccontextmanager
async def open_indexed(url: str, engine: str, documents: int) -> AsyncGenerator[tuple[Store, Pool]]:
    """A store that takes more than 200 chunks for many, of 100 a document, with its vector index.

    The first document is a service of its own, so are the next three together. One connection.
    """
    async with open_pool(url, engine=engine, max_size=1) as pool:
        store = Store(pool, engine_named(engine), exact_up_to=200)
        for n in range(documents):
            texts = [f"w{(n * 7 + c) % 90} w{n * c % 70} w{c % 11} x{n}" for c in range(100)]
            service = "one" if n == 0 else "three" if n <= 3 else "rest"
            await put(store, prepared(f"doc{n:02}", texts, service=service))
        async with pool.connection() as connection:
            await connection.execute(INDEX_VECTORS)
        await store.maintain()
        yield store, pool


async def uses_of_index(pool: Pool) -> int:
    """How often the vector index was searched so far."""
    async with pool.connection() as connection:
        await connection.execute("SELECT pg_stat_force_next_flush()")
        cursor = await connection.execute(
            "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'corpus_emb'"
        )
        (uses,) = await cursor.fetchone() or (0,)
        return cast("int", uses)


@both_engines
async def test_the_index_is_used_when_many_match(database_url: str, engine: str) -> None:
    """Of few matching chunks all vectors are compared; of many the nearest are looked up."""
    async with open_indexed(database_url, engine, 12) as (store, pool):
        asked = vector_of("w3 w5 x7")
        for filters, uses in (
            (Filters(), 1),
            (Filters(services=("rest",)), 1),
            (Filters(services=("three",)), 1),
            (Filters(services=("one",)), 0),
            (Filters(services=("one",), doc_types=("runbook",)), 0),
            (Filters(services=("nothing",)), 0),
        ):
            before = await uses_of_index(pool)
            hits = await store.search_vectors(asked, filters)
            assert await uses_of_index(pool) - before == uses, filters
            assert len(hits) == (0 if filters.services == ("nothing",) else 20)
            assert [hit.score for hit in hits] == sorted(hit.score for hit in hits)
        # Nothing of the settings stays with the connection.
        async with pool.connection() as connection:
            cursor = await connection.execute("SHOW enable_seqscan")
            assert await cursor.fetchone() == ("on",)


@both_engines
async def test_a_filtered_search_finds_what_an_exact_one_does(
    database_url: str, engine: str
) -> None:
    """Of few matching chunks exactly the nearest twenty; of many, through the index, nearly all."""
    async with open_indexed(database_url, engine, 12) as (store, pool):
        exact = Store(pool, engine_named(engine))
        for service, recall in (("one", 1.0), ("three", 0.9), ("rest", 0.9)):
            found = wanted = 0
            for n in range(20):
                asked = vector_of(f"w{n} w{n + 20} x{n}")
                filters = Filters(services=(service,))
                expected = {hit.chunk_id for hit in await exact.search_vectors(asked, filters)}
                hits = {hit.chunk_id for hit in await store.search_vectors(asked, filters)}
                assert len(hits) == 20
                wanted += 20
                found += len(hits & expected)
            assert found >= recall * wanted, (service, found)


async def test_the_index_on_vectors_comes_with_fifteen_thousand_chunks(
    empty_database_url: str,
) -> None:
    """Maintenance builds it when the table has passed that size, and only then."""
    url = empty_database_url
    await migrate(url, vector_size=SIZE, engine="sql")

    def rows(first: int, last: int) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                'INSERT INTO corpus (id, service, doc_type, document, position, "start", "end",'
                " source, heading, context, text, hash, bm25)"
                " SELECT n::text, 's', 't', %s, n, 0, 0, '', '', '', '', '', 0"
                " FROM generate_series(%s::int, %s::int) AS n",
                [prepared("doc", ["one"]).id, first, last],
            )

    def index() -> object:
        with psycopg.connect(url, autocommit=True) as connection:
            query = "SELECT indexdef FROM pg_indexes WHERE indexname = 'corpus_emb'"
            return connection.execute(query).fetchone()

    async with open_store(url, "sql") as store:
        await put(store, prepared("doc", ["one"]))
        await asyncio.to_thread(rows, 2, 15_000)
        await store.maintain()
        assert index() is None
        await asyncio.to_thread(rows, 15_001, 15_001)
        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(store.maintain())
        assert "USING hnsw (emb vector_cosine_ops) WITH (m='16', ef_construction='64')" in str(
            index()
        )
        assert len(await store.search_vectors(vector_of("one"), Filters())) == 1


@both_engines
async def test_unchanged_chunks_keep_their_rows(database_url: str, engine: str) -> None:
    """Writing a document again touches only the chunks that differ."""
    async with open_store(database_url, engine) as store:
        assert await put(store, prepared("doc", ["one", "two", "three"])) == 3
        before = versions_of_rows(database_url)
        assert await put(store, prepared("doc", ["one", "changed", "three"])) == 1
        after = versions_of_rows(database_url)
        assert {name for name in after if after[name] != before.get(name)} >= {"doc-0001"}
        assert after["doc-0000"] == before["doc-0000"]
        hits = await store.search_keywords(["two"], Filters())
        assert hits == []
        assert len(await store.search_keywords(["changed"], Filters())) == 1


@both_engines
async def test_new_labels_reach_the_chunks_without_vectors(database_url: str, engine: str) -> None:
    """A document that only changed its service is found under the new one, nothing re-embedded."""
    async with open_store(database_url, engine) as store:
        await put(store, prepared("doc", ["one two"]))
        moved = prepared("doc", ["one two"], service="search")
        assert await store.chunks_to_embed([moved]) == [[]]
        assert await store.write([Ready(moved, {})]) == [0]
        assert await store.search_keywords(["two"], Filters(services=("payments",))) == []
        assert len(await store.search_keywords(["two"], Filters(services=("search",)))) == 1
        assert await store.kinds() == [Kind("search", "runbook", 1)]


async def test_a_lacking_vector_writes_nothing(database_url: str) -> None:
    """When another writer took a chunk away meanwhile, the caller is told and nothing is done."""
    async with open_store(database_url, "pg_search") as store:
        await put(store, prepared("doc", ["one", "two"]))
        vectors = {"doc-0000": vector_of("uno")}
        assert await store.write([Ready(prepared("doc", ["uno", "dos"]), vectors)]) == [None]
        assert await store.counts() == (1, 2)
        assert len(await store.search_keywords(["two"], Filters())) == 1


async def test_passages_have_what_a_person_sees(database_url: str) -> None:
    """Ids that are gone are left out."""
    async with open_store(database_url, "pg_search") as store:
        document = prepared("doc", ["one two"], doc_type="postmortem")
        await put(store, document)
        found = await store.passages(["doc-0000", "gone"])
        (passage,) = found.values()
        assert passage.document_id == document.id
        assert (passage.source, passage.text, passage.doc_type) == ("doc", "one two", "postmortem")


@both_engines
async def test_deleting_documents_takes_their_chunks(database_url: str, engine: str) -> None:
    """Nothing of a removed document is found, and an id that is gone is no error."""
    async with open_store(database_url, engine) as store:
        document = prepared("doc", ["one two"])
        await put(store, document)
        assert await store.delete([document.id, "gone"]) == 1
        assert await store.counts() == (0, 0)
        assert await store.search_keywords(["one"], Filters()) == []


async def test_kinds_are_those_one_may_see(database_url: str) -> None:
    """The list of services tells nothing of a private channel or another team."""
    async with open_store(database_url, "pg_search") as store:
        await put(store, prepared("a", ["x"]))
        await put(store, prepared("b", ["x"], service="secret", audience="C1"))
        await put(store, prepared("c", ["x"], service="theirs", team="T2"))
        assert [kind.service for kind in await store.kinds()] == ["payments"]
        mine = await store.kinds(Filters(team="T1", audience="C1"))
        assert [kind.service for kind in mine] == ["payments", "secret"]


@both_engines
async def test_a_vector_of_another_size_is_refused(database_url: str, engine: str) -> None:
    """The driver's error becomes ours, whole documents only."""
    async with open_store(database_url, engine) as store:
        short = np.ones(3, dtype=np.float32)
        with pytest.raises(QueryFailed, match="refused"):
            await store.write([Ready(prepared("doc", ["one"]), {"doc-0000": short})])
        assert await store.counts() == (0, 0)
        await put(store, prepared("doc", ["one"]))
        with pytest.raises(QueryFailed, match="refused"):
            await store.search_vectors(short, Filters())


async def test_odd_filter_values_find_nothing(database_url: str) -> None:
    """NUL, quotes and half characters in a filter are values like others."""
    async with open_store(database_url, "pg_search") as store:
        await put(store, prepared("doc", ["one"]))
        for value in ("\0", "'; DROP TABLE corpus", "\ud83d", "x" * 10_000, ""):
            filters = Filters(services=(value,), doc_types=(value,), team=value, audience=value)
            assert await store.search_vectors(vector_of("one"), filters) == []
            assert await store.search_keywords(["one"], filters) == []


async def test_two_writers_of_one_document_both_succeed(database_url: str) -> None:
    """They wait for each other, and the document is whole."""
    async with open_store(database_url, "pg_search") as store:
        documents = [prepared("doc", [f"w{n}", f"x{n}", "same"]) for n in range(6)]
        async with asyncio.TaskGroup() as group:
            for document in documents:
                group.create_task(put(store, document))
        assert await store.counts() == (1, 3)


@pytest.fixture
def own_server(data_dir: Path) -> Iterator[Server]:
    """A migrated server of the test's own, which it may stop."""
    with use(data_dir) as server:
        asyncio.run(migrate(server.url, vector_size=SIZE, engine="pg_search"))
        yield server


async def test_the_pool_survives_a_restart_of_the_database(own_server: Server) -> None:
    """While the database is down a query says so; afterwards the same store works."""
    async with open_pool(own_server.url, engine="pg_search", max_size=4) as pool:
        store = Store(pool, engine_named("pg_search"))
        await put(store, prepared("doc", ["one two"]))
        await asyncio.to_thread(kill_postmaster, own_server)
        await asyncio.to_thread(own_server.ensure_running)
        assert len(await store.search_keywords(["two"], Filters())) == 1
        assert len(await store.search_vectors(vector_of("two"), Filters())) == 1


def kill_postmaster(server: Server) -> None:
    """Stop the server at once, as a crash would, and wait until it is gone."""
    pid = int((server.data_dir / "postgres/data/postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGQUIT)
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        time.sleep(0.02)


async def test_a_closed_pool_is_a_query_that_failed(database_url: str) -> None:
    """No error of the driver or the pool gets through."""
    async with open_store(database_url, "pg_search") as store:
        pass
    with pytest.raises(QueryFailed, match="doesn't answer"):
        await store.counts()


async def test_a_database_that_is_not_there_is_told(server: Server) -> None:
    """The sentence says what to do; so it does for one without tables."""
    with pytest.raises(DatabaseDown):
        async with open_pool(server.url_for("nowhere"), engine="sql"):
            pass
    with pytest.raises(MigrationsPending, match="footnote migrate"):
        async with open_pool(server.url_for("template1"), engine="sql"):
            pass
