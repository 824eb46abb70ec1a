"""Another embedder: searches go on with the old one, and nothing is ever half of each."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import psycopg
import pytest

from retrieval.documents import Filters
from retrieval.embedding import Vector
from retrieval.errors import OtherEmbedder, QueryFailed
from retrieval.ingest import ingest
from retrieval.reembed import reembed
from retrieval.sources import Source
from retrieval.store import Store
from schema.database import Pool, open_pool
from schema.engines import engine_named
from schema.errors import EmbedderMismatch, VectorSizeMismatch
from schema.migrate import check
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import ENGINES

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)

SOURCES = [
    Source(f"{n:03}.md", f"# Number {n}\n\nThe pump{n} stands in hall{n % 7}.".encode())
    for n in range(300)
]


@asynccontextmanager
async def opened(database_url: str, engine: str) -> AsyncGenerator[tuple[Pool, Store]]:
    """A pool and a store on the test's database."""
    async with open_pool(database_url, engine=engine, max_size=6) as pool:
        yield pool, Store(pool, engine_named(engine))


async def nearest(store: Store, embedder: BagOfWords, text: str) -> str:
    """The text of the nearest chunk."""
    (hit,) = await store.search_vectors(await embedder.embed_query(text), Filters(), 1)
    return (await store.passages([hit.chunk_id]))[hit.chunk_id].text


class Searching(BagOfWords):
    """An embedder during whose work the old vectors are searched, and a document comes in."""

    def __init__(self, name: str, size: int, store: Store, old: BagOfWords) -> None:
        super().__init__(name, size)
        self.store: Store = store
        self.old: BagOfWords = old
        self.searched: int = 0

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors, after a search."""
        assert "pump17 " in await nearest(self.store, self.old, "Number 17 the pump17 hall3")
        if not self.searched:
            late = Source("late.md", b"# Late\n\nThe boiler99 came late.")
            await ingest(self.store, self.old, [late])
        self.searched += 1
        return await super().embed_documents(texts)


@both_engines
async def test_another_size_takes_over_at_once(database_url: str, engine: str) -> None:
    """Until the end searches and ingests have the old vectors, then all have the new ones."""
    old = BagOfWords("old")
    async with opened(database_url, engine) as (pool, store):
        await ingest(store, old, SOURCES)
        new = Searching("new", 96, store, old)
        report = await reembed(pool, engine_named(engine), new)
        assert (report.before, report.after, report.size) == ("old", "new", 96)
        assert report.embedded == 301
        assert new.searched >= 2
        assert "pump17 " in await nearest(store, new, "Number 17 the pump17 hall3")
        assert "boiler99" in await nearest(store, new, "the boiler99 came late")
        assert len(await store.search_keywords(["boiler99"], Filters())) == 1

        # The check, the ingest and the next reembed agree about it.
        await check(database_url, vector_size=96, embedder="new")
        with pytest.raises(VectorSizeMismatch, match="reembed"):
            await check(database_url, vector_size=384, embedder="old")
        with pytest.raises(OtherEmbedder, match="reembed"):
            await ingest(store, old, SOURCES[:1])
        new.embedded.clear()
        again = await ingest(store, BagOfWords("new", 96), SOURCES)
        assert (again.unchanged, again.chunks_written) == (300, 0)
        assert not (await reembed(pool, engine_named(engine), new)).changed
        assert new.embedded == []


async def test_the_new_vectors_are_those_an_ingest_makes(database_url: str) -> None:
    """The embedder sees breadcrumb and text, as it did before."""
    old, new = BagOfWords("old"), BagOfWords("new")
    async with opened(database_url, "pg_search") as (pool, store):
        await ingest(store, old, SOURCES[:20])
        await reembed(pool, engine_named("pg_search"), new)
    assert sorted(new.embedded) == sorted(old.embedded)


async def test_another_model_of_the_same_size_is_noticed(database_url: str) -> None:
    """Its distances would be nonsense without any error."""
    async with opened(database_url, "pg_search") as (_, store):
        await check(database_url, vector_size=384, embedder="anyone")
        await ingest(store, BagOfWords("old"), SOURCES[:1])
    with pytest.raises(EmbedderMismatch, match="vectors of old, and the embedder is new"):
        await check(database_url, vector_size=384, embedder="new")
    await check(database_url, vector_size=384)


async def test_the_vectors_index_is_kept(database_url: str) -> None:
    """An index of the old vectors has one of the new in its place, under its name."""
    async with opened(database_url, "pg_search") as (pool, store):
        await ingest(store, BagOfWords("old"), SOURCES[:30])
        async with pool.connection() as connection:
            await connection.execute(
                "CREATE INDEX corpus_emb ON corpus USING hnsw (emb vector_cosine_ops)"
                " WITH (m = 8, ef_construction = 32)"
            )
        await reembed(pool, engine_named("pg_search"), BagOfWords("new", 96))
        async with pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'corpus_emb%'"
            )
            ((definition,),) = await cursor.fetchall()
    assert "hnsw (emb vector_cosine_ops) WITH (m='8', ef_construction='32')" in str(definition)


async def test_only_one_at_a_time(database_url: str) -> None:
    """The second one is told to wait, and the lock goes with the first."""
    engine = engine_named("pg_search")
    async with opened(database_url, "pg_search") as (pool, store):
        await ingest(store, BagOfWords("old"), SOURCES[:5])

        class Nested(BagOfWords):
            async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
                """Vectors, after trying the same again."""
                with pytest.raises(QueryFailed, match="wait for it"):
                    await reembed(pool, engine, BagOfWords("third"))
                return await super().embed_documents(texts)

        assert (await reembed(pool, engine, Nested("new"))).changed
        assert (await reembed(pool, engine, BagOfWords("third"))).changed


KILLED = """
import asyncio, sys
from retrieval.reembed import reembed
from schema.database import open_pool
from schema.engines import engine_named
from tests.retrieval.bag_of_words import BagOfWords

class Slow(BagOfWords):
    async def embed_documents(self, texts):
        await asyncio.sleep(0.05)
        return await super().embed_documents(texts)

async def main():
    async with open_pool(sys.argv[1], engine="pg_search", max_size=2) as pool:
        await reembed(pool, engine_named("pg_search"), Slow("new", 96),
                      progress=lambda done, total: print(done, flush=True))

asyncio.run(main())
"""


def test_a_run_that_was_killed_is_gone_on_with(database_url: str) -> None:
    """After SIGKILL the old vectors are searched, and what was made is not made again."""

    async def fill() -> None:
        async with opened(database_url, "pg_search") as (_, store):
            await ingest(store, BagOfWords("old"), SOURCES)

    asyncio.run(fill())
    command = [sys.executable, "-c", KILLED, database_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT count(emb), count(emb_new) FROM corpus").fetchone()
    assert row is not None
    assert row[0] == 300
    assert 128 <= row[1] < 300

    async def go_on() -> None:
        async with opened(database_url, "pg_search") as (pool, store):
            old, new, third = BagOfWords("old"), BagOfWords("new", 96), BagOfWords("third", 64)
            assert "pump5 " in await nearest(store, old, "Number 5 the pump5 hall5")
            report = await reembed(pool, engine_named("pg_search"), new)
            assert report.embedded == len(new.embedded) == 300 - row[1]
            assert "pump5 " in await nearest(store, new, "Number 5 the pump5 hall5")
            assert (await reembed(pool, engine_named("pg_search"), third)).embedded == 300

    asyncio.run(go_on())
