"""How the hot queries are carried out: by which index, and how many rows they read for it.

A query that reads the whole table is as fast as any on the few rows of other tests.
"""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from retrieval.documents import Filters
from retrieval.store import Store
from retrieval.writing import Ready
from schema.database import open_pool
from schema.engines import Engine, engine_named
from schema.sql import load
from tests.retrieval.bag_of_words import vector_of
from tests.retrieval.corpora import ENGINES, prepared

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)

QUERIES = load("retrieval", "queries.sql")
INDEX_VECTORS = load("schema", "engines/hnsw.sql")["index_vectors"]

DOCUMENTS = 40
CHUNKS = 50
"""Of each document, which is a service of its own."""

ONE = Filters(services=("s7",))


@dataclass(frozen=True)
class Plan:
    """What PostgreSQL did."""

    nodes: tuple[Mapping[str, Any], ...]

    @property
    def indexes(self) -> set[str]:
        """The indexes that were read, but for ParadeDB's, whose scans are its own."""
        return {node["Index Name"] for node in self.nodes if "Index Name" in node}

    @property
    def kinds(self) -> set[str]:
        """The kinds of nodes that read `corpus`."""
        return {node["Node Type"] for node in self.nodes if node.get("Relation Name") == "corpus"}

    def scanned(self, relation: str = "corpus") -> int:
        """The rows of a table that were read, with those that a filter took away again."""
        return sum(
            node["Actual Loops"]
            * (
                node["Actual Rows"]
                + node.get("Rows Removed by Filter", 0)
                + node.get("Rows Removed by Index Recheck", 0)
            )
            for node in self.nodes
            if node.get("Relation Name") == relation
        )


def nodes_of(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A node and all below it."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes_of(below)


@dataclass(frozen=True)
class Corpus:
    """Two thousand chunks, and a connection set up as the pool does."""

    connection: psycopg.AsyncConnection[Any]
    engine: Engine

    async def plan(self, query: str, filters: Filters, **parameters: Any) -> Plan:
        """Run a query, and return how it was carried out."""
        explained = f"EXPLAIN (ANALYZE, FORMAT JSON) {query}".encode()
        values = {
            "services": list(filters.services) or None,
            "doc_types": None,
            "team": None,
            "audience": None,
            "limit": 20,
            "exact_up_to": 200,
            **parameters,
        }
        cursor = await self.connection.execute(explained, values)
        ((found,),) = await cursor.fetchall()
        return Plan(tuple(nodes_of(found[0]["Plan"])))


@asynccontextmanager
async def opened(database_url: str, engine: str) -> AsyncGenerator[Corpus]:
    """Fill, index and maintain a corpus."""
    async with open_pool(database_url, engine=engine, max_size=2) as pool:
        store = Store(pool, engine_named(engine))
        ready: list[Ready] = []
        for n in range(DOCUMENTS):
            texts = [f"w{n} x{c} y{n * c % 97} common" for c in range(CHUNKS)]
            document = prepared(f"doc{n:02}", texts, service=f"s{n}")
            vectors = {each.chunk.id: vector_of(each.chunk.text) for each in document.chunks}
            ready.append(Ready(document, vectors))
        await store.write(ready)
        async with pool.connection() as connection:
            await connection.execute(INDEX_VECTORS)
        await store.maintain()
        async with pool.connection() as connection:
            yield Corpus(connection, engine_named(engine))


@pytest.fixture
async def corpus(database_url: str, engine: str) -> AsyncGenerator[Corpus]:
    """The corpus of the engine at hand."""
    async with opened(database_url, engine) as filled:
        yield filled


ALL = Filters()
ASKED = vector_of("w3 x5 y7")


@both_engines
async def test_an_exact_search_reads_what_its_filter_leaves(corpus: Corpus) -> None:
    """Of one service the vectors are read by the index on filters, and no others."""
    plan = await corpus.plan(QUERIES["search_vectors"], ONE, vector=ASKED)
    assert plan.indexes == {"corpus_filter"}
    assert plan.scanned() == CHUNKS
    # Of everything exactly everything, once; and never by the approximate index.
    plan = await corpus.plan(QUERIES["search_vectors"], ALL, vector=ASKED)
    assert plan.kinds == {"Seq Scan"}
    assert plan.scanned() == DOCUMENTS * CHUNKS


@both_engines
async def test_counting_matches_stops_early(corpus: Corpus) -> None:
    """Whether more match than are read one by one is known from the index, and no further."""
    for filters, most in ((ONE, CHUNKS), (ALL, 201)):
        plan = await corpus.plan(QUERIES["many_match"], filters)
        assert plan.kinds == {"Index Only Scan"}
        assert plan.scanned() <= most


@both_engines
async def test_a_search_among_many_goes_by_the_vectors_index(corpus: Corpus) -> None:
    """It reads the four times twenty that it asks for, however many match."""
    async with corpus.connection.transaction():
        settings = {"services": None, "doc_types": None}
        await corpus.connection.execute(corpus.engine.near_settings, settings)
        plan = await corpus.plan(QUERIES["search_vectors_nearly"], ALL, vector=ASKED)
    assert plan.indexes == {"corpus_emb"}
    assert plan.scanned() <= 4 * 20 + 20


@pytest.mark.parametrize("filters", [ALL, ONE], ids=["all", "one service"])
async def test_keywords_read_the_best_only(corpus: Corpus, filters: Filters) -> None:
    """ParadeDB's index applies the filters and gives the first twenty, no row more."""
    plan = await corpus.plan(corpus.engine.search_keywords, filters, tokens="common w7")
    (scan,) = [node for node in plan.nodes if node.get("Relation Name") == "corpus"]
    assert (scan["Node Type"], scan["Index"]) == ("Custom Scan", "corpus_bm25")
    assert scan["Exec Method"] == "TopNScanExecState"
    assert scan["Actual Rows"] == 20


@pytest.mark.parametrize("engine", ["sql"], indirect=True)
@pytest.mark.parametrize("filters", [ALL, ONE], ids=["all", "one service"])
async def test_keywords_in_plain_sql_read_their_postings(corpus: Corpus, filters: Filters) -> None:
    """Beside the lengths, counted in an index, only the chunks that hold one of the words."""
    plan = await corpus.plan(corpus.engine.search_keywords, filters, tokens="w3 x5")
    assert plan.indexes >= {"posting_pkey", "corpus_length"}
    assert plan.kinds <= {"Index Scan", "Index Only Scan"}
    # A posting is read to count it and to score it, then its chunk; of two words, in 50 and 40.
    holding = CHUNKS + DOCUMENTS
    assert plan.scanned("posting") <= 2 * holding
    assert plan.scanned() <= DOCUMENTS * CHUNKS + holding


@both_engines
async def test_what_is_found_is_fetched_by_its_id(corpus: Corpus) -> None:
    """Forty passages cost forty rows."""
    ids = [f"doc{n:02}-0007" for n in range(DOCUMENTS)]
    plan = await corpus.plan(QUERIES["passages"], ALL, ids=ids, vector=ASKED)
    assert plan.indexes >= {"corpus_pkey"}
    assert plan.kinds == {"Index Scan"}
    assert plan.scanned() == DOCUMENTS


@both_engines
@pytest.mark.parametrize(
    ("query", "parameters", "index"),
    [
        ("chunk_hashes", {"documents": ["doc"]}, "corpus_document"),
        ("delete_other_chunks", {"documents": ["doc"], "kept": []}, "corpus_document"),
    ],
)
async def test_an_ingest_looks_at_its_documents_only(
    corpus: Corpus, query: str, parameters: Mapping[str, Any], index: str
) -> None:
    """What is stored of a document is found without reading the others."""
    plan = await corpus.plan(QUERIES[query], ALL, **parameters)
    assert index in plan.indexes
    assert plan.scanned() == 0
