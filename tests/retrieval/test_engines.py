"""Keyword search: both engines against BM25 written out in Python."""

import asyncio
import math
import os
import random
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from retrieval.documents import Filters
from retrieval.prepared import document_id
from retrieval.store import Hit, Store
from schema.embedded import use
from schema.engines import engine_named
from schema.migrate import migrate
from tests.retrieval.bag_of_words import SIZE
from tests.retrieval.corpora import ENGINES, open_store, prepared, put

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)


@dataclass(frozen=True)
class Row:
    """A chunk of the oracle."""

    id: str
    words: tuple[str, ...]
    service: str
    doc_type: str
    team: str | None
    audience: str | None


def bm25(rows: Sequence[Row], query: Sequence[str], filters: Filters, limit: int = 20) -> list[Hit]:
    """BM25 as Lucene counts it, over all rows; the filters only choose what is shown."""
    mean = sum(len(row.words) for row in rows) / len(rows)
    holding = Counter(word for row in rows for word in set(row.words))
    hits: list[Hit] = []
    for row in rows:
        if (
            (filters.services and row.service not in filters.services)
            or (filters.doc_types and row.doc_type not in filters.doc_types)
            or row.team not in {None, filters.team}
            or row.audience not in {None, filters.audience}
        ):
            continue
        score = 0.0
        for word in query:
            frequency = row.words.count(word)
            idf = math.log(1 + (len(rows) - holding[word] + 0.5) / (holding[word] + 0.5))
            length = 1.2 * (0.25 + 0.75 * len(row.words) / mean)
            score += idf * 2.2 * frequency / (frequency + length)
        if score > 0:
            hits.append(Hit(row.id, score))
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]


async def fill(store: Store, seed: int, documents: int = 60) -> list[Row]:
    """A random corpus, of chunks of up to 40 words: so far the index keeps lengths exactly."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    rows: list[Row] = []
    for number in range(documents):
        row_of = prepared(
            f"doc{number:03}",
            [
                " ".join(
                    f"w{min(59, int(dice.expovariate(0.08)))}" for _ in range(dice.randint(1, 40))
                )
                for _ in range(dice.randint(1, 8))
            ],
            service="rare" if number < 2 else dice.choice(["a", "b"]),
            doc_type=dice.choice(["runbook", "postmortem"]),
            team=dice.choice([None, None, "T1", "T2"]),
            audience=dice.choice([None, "C1", "C2"]),
        )
        await put(store, row_of)
        document = row_of.document
        rows.extend(
            Row(
                each.chunk.id,
                tuple(each.tokens.split()),
                document.service,
                document.doc_type,
                document.team,
                document.audience,
            )
            for each in row_of.chunks
        )
    return rows


def same(found: Sequence[Hit], expected: Sequence[Hit]) -> bool:
    """Whether the scores agree place by place, and the ids wherever a score stands alone."""
    if len(found) != len(expected):
        return False
    if any(abs(a.score - b.score) > 0.002 for a, b in zip(found, expected, strict=True)):
        return False
    by_id = {hit.chunk_id: hit.score for hit in expected}
    last = expected[-1].score if expected else 0.0
    # Only chunks as good as the last one may be exchanged for others.
    return all(abs(by_id.get(hit.chunk_id, last) - hit.score) <= 0.002 for hit in found)


@pytest.fixture
def own_database_url(data_dir: Path, engine: str) -> Iterator[str]:
    """A database on a server of the test's own, which it may crash."""
    with use(data_dir) as server:
        asyncio.run(migrate(server.url, vector_size=SIZE, engine=engine))
        yield server.url


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
                filters = Filters(
                    services=dice.choice([(), ("a",), ("a", "rare"), ("rare",), ("none",)]),
                    doc_types=dice.choice([(), (), ("runbook",), ("runbook", "postmortem")]),
                    team=dice.choice([None, "T1", "T9"]),
                    audience=dice.choice([None, "C1"]),
                )
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
async def test_the_index_is_right_after_a_crash(own_database_url: str, engine: str) -> None:
    """A backend killed with SIGKILL takes the server through recovery; the next search is right."""
    async with open_store(own_database_url, engine) as store:
        rows = await fill(store, 5, documents=40)
        victim = await psycopg.AsyncConnection.connect(own_database_url)
        async with victim:
            os.kill(victim.info.backend_pid, signal.SIGKILL)
            with pytest.raises(psycopg.OperationalError):
                await victim.execute("SELECT pg_sleep(60)")
        for word in range(0, 60, 3):
            found = await store.search_keywords([f"w{word}"], Filters(team="T1"))
            assert same(found, bm25(rows, [f"w{word}"], Filters(team="T1")))
        await put(store, prepared("after", ["sunrise"]))
        assert len(await store.search_keywords(["sunrise"], Filters())) == 1


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
    with pytest.raises(ValueError, match="pg_search, sql"):
        engine_named("lucene")
