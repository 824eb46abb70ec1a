"""Keyword search: each engine against BM25 written out in Python."""

import asyncio
import os
import random
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import psycopg
import pytest

from retrieval.documents import Filters
from retrieval.errors import QueryFailed
from retrieval.prepared import document_id
from retrieval.store import Store
from retrieval.writing import Ready
from schema.embedded import Server, use
from schema.engines import engine_named
from schema.migrate import migrate
from tests.conftest import is_given
from tests.retrieval.bag_of_words import SIZE, vector_of
from tests.retrieval.corpora import ENGINES, open_store, prepared, put
from tests.retrieval.oracle import Row, bm25, fill, random_document, random_filters, rows_of, same

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)


@pytest.fixture
def own_server(data_dir: Path, engine: str, request: pytest.FixtureRequest) -> Iterator[Server]:
    """A migrated server of the test's own, which it may crash."""
    if is_given(request):
        pytest.skip("this test kills its server, and the given one is not ours to kill")
    with use(data_dir) as server:
        asyncio.run(migrate(server.url, vector_size=SIZE, engine=engine))
        yield server


@both_engines
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_the_ranking_is_bm25(database_url: str, engine: str, seed: int) -> None:
    """Whatever the query and the filters, ids, order and scores are those of the formula."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    async with open_store(database_url, engine) as store:
        rows = await fill(store, seed)
        for maintained in (False, True):
            if maintained:
                await store.maintain()
            for _ in range(25):
                query = [f"w{number}" for number in dice.sample(range(60), dice.randint(1, 6))]
                filters = random_filters(dice)
                found = await store.search_keywords(query, filters)
                assert same(found, bm25(rows, query, filters)), (query, filters)


@both_engines
async def test_rewriting_documents_leaves_the_ranking_right(database_url: str, engine: str) -> None:
    """Chunks that were replaced or deleted are found no more, and none comes twice."""
    async with open_store(database_url, engine) as store:
        rows = await fill(store, 4, documents=30)
        for row in (next(row for row in rows if row.id == f"doc{n:03}-0000") for n in range(10)):
            name, owners = row.id[:6], (row.team, row.audience)
            if name < "doc005":
                await store.delete([document_id(*owners, name)])
            else:
                await put(
                    store, prepared(name, ["w1 w2 fresh"], team=row.team, audience=row.audience)
                )
        everything = [
            hit.chunk_id
            for team in ("T1", "T2")
            for audience in ("C1", "C2")
            for hit in await store.search_keywords(
                [f"w{n}" for n in range(60)], Filters(team=team, audience=audience), 500
            )
        ]
        rewritten = {f"doc{n:03}-0000" for n in range(5, 10)}
        assert {each for each in everything if each < "doc010"} == rewritten
        found = await store.search_keywords(["fresh"], Filters(team="T1", audience="C1"))
        assert len(found) == len({hit.chunk_id for hit in found})
        assert {hit.chunk_id for hit in found} <= rewritten


@both_engines
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_any_history_leaves_the_ranking_right(
    database_url: str, engine: str, seed: int
) -> None:
    """Documents come, change, go and fail halfway; maintained, an index ranks as the formula does.

    In between, dead chunks may count in its statistics, but never show up.
    """
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    kept: dict[int, list[Row]] = {}
    async with open_store(database_url, engine) as store:
        for step in range(60):
            number = dice.randrange(20)
            document = random_document(dice, number)
            match dice.choice(["put", "put", "put", "delete", "fail"]):
                case "put":
                    await put(store, document)
                    kept[number] = rows_of(document)
                case "delete":
                    await store.delete([document.id])
                    kept.pop(number, None)
                case _:
                    vectors = {each.chunk.id: vector_of(each.tokens) for each in document.chunks}
                    vectors[document.chunks[-1].chunk.id] = np.ones(3, dtype=np.float32)
                    # Whether it fails depends on what of it is stored already.
                    with suppress(QueryFailed):
                        await store.write([Ready(document, vectors)])
                        kept[number] = rows_of(document)
            rows = [row for each in kept.values() for row in each]
            query = [f"w{word}" for word in dice.sample(range(60), 4)]
            filters = random_filters(dice)
            found = await store.search_keywords(query, filters, 500)
            expected = bm25(rows, query, filters, 500)
            assert {hit.chunk_id for hit in found} == {hit.chunk_id for hit in expected}
            assert len(found) == len(expected)
            if step % 10 == 9:
                await store.maintain()
                found = await store.search_keywords(query, filters)
                assert same(found, bm25(rows, query, filters)), (step, query, filters)


@both_engines
@pytest.mark.parametrize("seed", [1, 2])
async def test_a_server_killed_in_an_ingest_loses_nothing_it_confirmed(
    own_server: Server, engine: str, seed: int
) -> None:
    """All its processes get SIGKILL; then documents are whole, and the ranking is right."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    kept: dict[str, list[Row]] = {}
    attempted: dict[str, list[Row]] = {}
    async with open_store(own_server.url, engine) as store:

        async def ingest() -> None:
            for number in range(10_000):
                document = random_document(dice, number % 200)
                attempted[document.document.source] = rows_of(document)
                await put(store, document)
                kept[document.document.source] = rows_of(document)

        async def kill() -> None:
            await asyncio.sleep(dice.uniform(0.5, 1.5))
            await asyncio.to_thread(kill_everything, own_server)

        async with asyncio.TaskGroup() as group:
            group.create_task(kill())
            with pytest.raises(QueryFailed):
                await ingest()
        await asyncio.to_thread(own_server.ensure_running)

        # The one that was being written may be there or not, but not in part.
        (last,) = [name for name in attempted if attempted[name] != kept.get(name)]
        with psycopg.connect(own_server.url) as connection:
            query = "SELECT id FROM corpus WHERE source = %s ORDER BY id"
            stored = [row[0] for row in connection.execute(query, [last])]
            texts = dict(connection.execute("SELECT id, text FROM corpus"))
        versions = [attempted[last], kept.get(last, [])]
        whole = next(rows for rows in versions if rows_are(rows, stored, texts))
        rows = [row for name, each in kept.items() if name != last for row in each] + whole
        assert sorted(texts) == sorted(row.id for row in rows)
        await store.maintain()
        for word in range(0, 60, 4):
            found = await store.search_keywords([f"w{word}"], Filters(team="T1"))
            assert same(found, bm25(rows, [f"w{word}"], Filters(team="T1"))), word


async def back(store: Store) -> None:
    """Wait for the end of a crash, which takes the other connections down one by one."""
    for _ in range(100):
        with suppress(QueryFailed):
            await store.search_keywords(["w1"], Filters())
            return
        await asyncio.sleep(0.1)


def rows_are(rows: Sequence[Row], stored: Sequence[str], texts: Mapping[str, str]) -> bool:
    """Whether exactly these chunks are stored, with these words."""
    return [row.id for row in rows] == list(stored) and all(
        texts[row.id] == " ".join(row.words) for row in rows
    )


def kill_everything(server: Server) -> None:
    """Kill the server's processes, the first one first, so that none can tidy up."""
    pid = int((server.data_dir / "postgres/data/postmaster.pid").read_text().split()[0])
    postmaster = psutil.Process(pid)
    family = [postmaster, *postmaster.children(recursive=True)]
    for process in family:
        with suppress(psutil.NoSuchProcess):
            process.kill()


@both_engines
async def test_a_selective_filter_still_yields_twenty(database_url: str, engine: str) -> None:
    """Twenty chunks of a rare service are found behind two thousand better ones."""
    async with open_store(database_url, engine) as store:
        for number in range(8):
            await put(store, prepared(f"loud{number}", ["alarm alarm alarm"] * 250, service="loud"))
        await put(store, prepared("quiet", ["alarm " + "and so on " * 9] * 25, service="quiet"))
        found = await store.search_keywords(["alarm"], Filters(services=("quiet",)))
        assert len(found) == 20
        assert all(hit.chunk_id.startswith("quiet-") for hit in found)


@both_engines
@pytest.mark.parametrize(
    "token",
    [
        "'",
        '"',
        "\\",
        "a:b",
        "*",
        "(",
        "text:*",
        "AND",
        "w1~2",
        "[a TO b]",
        "';--",
        "%s",
        "ü",
        "漢字",
    ],
)
async def test_no_token_is_read_as_a_query_language(
    database_url: str, engine: str, token: str
) -> None:
    """A token finds the chunk that has it, or nothing; it never raises and never finds others."""
    async with open_store(database_url, engine) as store:
        await put(store, prepared("plain", ["w1 w2 w3", f"w4 {token}"]))
        found = await store.search_keywords([token], Filters())
        assert [hit.chunk_id for hit in found] == ["plain-0001"]


@both_engines
async def test_the_index_is_right_after_a_crash(own_server: Server, engine: str) -> None:
    """A backend killed with SIGKILL takes the server through recovery; the next search is right."""
    async with open_store(own_server.url, engine) as store:
        rows = await fill(store, 5, documents=40)
        victim = await psycopg.AsyncConnection.connect(own_server.url)
        async with victim:
            os.kill(victim.info.backend_pid, signal.SIGKILL)
            with pytest.raises(psycopg.OperationalError):
                await victim.execute("SELECT pg_sleep(60)")
        await back(store)
        for word in range(0, 60, 3):
            found = await store.search_keywords([f"w{word}"], Filters(team="T1"))
            assert same(found, bm25(rows, [f"w{word}"], Filters(team="T1")))
        await put(store, prepared("after", ["sunrise"]))
        assert len(await store.search_keywords(["sunrise"], Filters())) == 1


async def test_many_small_segments_become_one(database_url: str) -> None:
    """Maintenance leaves an index that a search goes through quickly, and nothing of a rebuild."""

    def segments() -> list[int]:
        with psycopg.connect(database_url, autocommit=True) as connection:
            rows = connection.execute("SELECT num_docs FROM paradedb.index_info('corpus_bm25')")
            return sorted(int(row[0]) for row in rows)

    async with open_store(database_url, "pg_search") as store:
        for number in range(25):
            await put(store, prepared(f"doc{number:02}", [f"w{number} word"] * 100))
        await store.maintain()
        after = segments()
        assert sum(after) == 2500
        assert sum(after) - max(after) <= 1000
        assert len(after) <= 8
        assert len(await store.search_keywords(["w7"], Filters(), 200)) == 100
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(store.maintain())
    with psycopg.connect(database_url, autocommit=True) as connection:
        left = connection.execute("SELECT FROM pg_class WHERE relname LIKE 'corpus_bm25_cc%'")
        assert left.fetchall() == []
        locks = connection.execute(
            "SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE l.locktype = 'advisory' AND d.datname = current_database()"
        ).fetchall()
        assert locks == []


async def test_the_canary_has_the_index_rebuilt(database_url: str) -> None:
    """An empty canary, as every crash leaves it, makes the next connection rebuild the index."""
    async with open_store(database_url, "pg_search") as store:
        await put(store, prepared("a", ["w1 w2"]))

    def file_of_index() -> object:
        with psycopg.connect(database_url, autocommit=True) as connection:
            return connection.execute("SELECT pg_relation_filenode('corpus_bm25')").fetchone()

    before = file_of_index()
    async with open_store(database_url, "pg_search"):
        assert file_of_index() == before
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("TRUNCATE bm25_canary")
    async with open_store(database_url, "pg_search") as store:
        assert file_of_index() != before
        assert [hit.chunk_id for hit in await store.search_keywords(["w2"], Filters())] == [
            "a-0000"
        ]


def test_an_unknown_engine_is_refused() -> None:
    """The sentence names those that exist."""
    with pytest.raises(ValueError, match="vchord, pg_search, sql"):
        engine_named("lucene")
