"""The statements of the vchord engine, on a stand-in for its extensions.

They have not been run on a real VectorChord server: FOOTNOTE_TEST_DATABASE_URL does that. What is
shown here is that they parse, give rows of the right form, and say what they mean to.
"""

from collections.abc import Generator
from pathlib import Path
from typing import LiteralString, cast

import psycopg
import pytest

from retrieval.documents import Filters
from retrieval.store import Store
from schema.database import open_pool
from schema.embedded import Server
from schema.engines import engine_named
from schema.shipped import load
from tests.conftest import cloned
from tests.retrieval.bag_of_words import SIZE, vector_of
from tests.retrieval.corpora import open_store, prepared, put
from tests.retrieval.oracle import bm25, fill, same

FAKE = Path(__file__).parent / "fake_vchord.sql"


@pytest.fixture
def vchord_url(server: Server) -> Generator[str]:
    """A database with the stand-in, set up by the engine's own files."""
    shipped = load()
    texts = [migration.text for migration in (*shipped.own, shipped.engines["vchord"])]
    for url in cloned(server, "template1"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute(cast("LiteralString", FAKE.read_text()))
            for text in texts:
                connection.execute(cast("LiteralString", text.replace(":vector_size", str(SIZE))))
        yield url


def column(url: str, query: LiteralString, *values: object) -> list[object]:
    """The first column of a query's rows."""
    with psycopg.connect(url, autocommit=True) as connection:
        return [row[0] for row in connection.execute(query, values or None)]


async def test_the_ranking_is_bm25(vchord_url: str) -> None:
    """Words become vectors and questions queries: ids, order and scores are the formula's."""
    async with open_store(vchord_url, "vchord") as store:
        rows = await fill(store, 1, documents=8)
        await store.maintain()
        for filters in (Filters(), Filters(services=("a",), team="T1", audience="C1")):
            for query in (["w1", "w5", "w40"], ["w2"], ["w0", "unheard"]):
                found = await store.search_keywords(query, filters)
                assert same(found, bm25(rows, query, filters)), (query, filters)
        assert await store.search_keywords(["unheard"], Filters()) == []


async def test_words_are_numbered_without_gaps(vchord_url: str) -> None:
    """The index has arrays as long as the largest number; known words take no new one."""
    async with open_store(vchord_url, "vchord") as store:
        for number in range(4):
            await put(store, prepared(f"doc{number}", [f"one two two w{number}"]))
    assert column(vchord_url, "SELECT id FROM term ORDER BY id") == [1, 2, 3, 4, 5, 6]
    (vector,) = column(vchord_url, "SELECT bm25::text FROM corpus WHERE id = 'doc0-0000'")
    numbers = dict(
        zip(
            column(vchord_url, "SELECT token FROM term ORDER BY token"),
            column(vchord_url, "SELECT id FROM term ORDER BY token"),
            strict=True,
        )
    )
    times = {numbers["one"]: 1, numbers["two"]: 2, numbers["w0"]: 1}
    assert vector == "{" + ", ".join(f"{n}:{times[n]}" for n in sorted(times, key=str)) + "}"


async def test_a_chunk_without_words_is_stored(vchord_url: str) -> None:
    """It has no vector, disturbs nobody, and is found by meaning."""
    async with open_store(vchord_url, "vchord") as store:
        await put(store, prepared("doc", ["", "one"]))
        assert [hit.chunk_id for hit in await store.search_keywords(["one"], Filters())] == [
            "doc-0001"
        ]
        assert len(await store.search_vectors(vector_of("one"), Filters())) == 2


@pytest.mark.parametrize(
    ("asked", "wanted", "chunks", "limit"),
    [
        ("common", 3, 3, "200"),  # enough
        ("rare", 5, 1, "200"),  # rows of score 0 say that there are no more
        ("common", 5, 4, "65535"),  # nothing says so
    ],
)
async def test_a_short_answer_is_asked_for_again(
    vchord_url: str, asked: str, wanted: int, chunks: int, limit: str
) -> None:
    """Through the index: with a larger limit, until there are enough or there can be no more."""
    async with open_store(vchord_url, "vchord") as store:
        await put(store, prepared("doc", ["common rare common", "common", "common", "common"]))
    with psycopg.connect(vchord_url) as connection:
        found = connection.execute(
            "SELECT chunk, points"
            " FROM search_keywords(%s, NULL, NULL, NULL, NULL, %s, exact_below => 0)",
            [asked, wanted],
        ).fetchall()
        setting = connection.execute("SHOW bm25_catalog.bm25_limit").fetchone()
    assert len(found) == chunks
    assert all(points > 0 for _, points in found)
    assert [points for _, points in found] == sorted((p for _, p in found), reverse=True)
    assert setting == (limit,)


async def test_rows_without_the_words_are_no_answer(vchord_url: str) -> None:
    """The index fills up with them; neither way of searching lets them through."""
    async with open_store(vchord_url, "vchord") as store:
        await put(store, prepared("doc", ["one", "two", "three"]))
    for exact_below in (0, 5000):
        assert column(
            vchord_url,
            "SELECT chunk FROM search_keywords('two', NULL, NULL, NULL, NULL, 20, %s)",
            exact_below,
        ) == ["doc-0001"]


async def test_vectors_are_found_through_the_index(vchord_url: str) -> None:
    """Its settings are of its own kind, and filters switch the prefilter on."""
    engine = engine_named("vchord")
    async with open_pool(vchord_url, engine="vchord", max_size=1) as pool:
        store = Store(pool, engine, exact_up_to=10)
        await put(store, prepared("doc", [f"word w{n}" for n in range(50)]))
        asked = vector_of("word w7")
        for filters in (Filters(), Filters(services=("payments",))):
            hits = await store.search_vectors(asked, filters)
            assert (len(hits), hits[0].chunk_id) == (20, "doc-0007")
        async with pool.connection() as connection:
            for services, prefilter in ((None, "off"), (["payments"], "on")):
                async with connection.transaction():
                    names = {"services": services, "doc_types": None}
                    await connection.execute(engine.near_settings, names)
                    cursor = await connection.execute("SHOW vchordrq.prefilter")
                    assert await cursor.fetchone() == (prefilter,)
                    cursor = await connection.execute(
                        "EXPLAIN SELECT id FROM corpus ORDER BY emb <=> %s::vector LIMIT 5", [asked]
                    )
                    assert "corpus_emb" in str(await cursor.fetchall())


async def test_a_bulk_load_has_the_index_rebuilt(vchord_url: str) -> None:
    """Once the chunks are twice what they were, and not before 5,000 of them."""

    def built() -> list[object]:
        return column(vchord_url, "SELECT chunks FROM bm25_built")

    async with open_store(vchord_url, "vchord") as store:
        await put(store, prepared("doc", ["one"]))
        await store.maintain()
        assert built() == [0]
        column(
            vchord_url,
            """INSERT INTO corpus (id, service, doc_type, document, position, "start", "end",
                                   source, heading, context, text, hash)
               SELECT n::text, 's', 't', document, n, 0, 0, '', '', '', '', ''
               FROM corpus, generate_series(1, 5000) AS n RETURNING 1""",
        )
        await store.maintain()
        assert built() == [5001]
        await store.maintain()
        assert built() == [5001]
        assert len(await store.search_keywords(["one"], Filters(services=("payments",)))) == 1
