"""The search, from a question to four passages or a NO_MATCH."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.documents import Filters, Passage
from retrieval.embedding import Vector
from retrieval.errors import EmbedderDown, QueryFailed, RerankerDown
from retrieval.rerank import Reranker
from retrieval.search import Search
from retrieval.store import Store
from retrieval.writing import Ready
from tests.retrieval.bag_of_words import BagOfWords, vector_of
from tests.retrieval.corpora import ENGINES, open_store, prepared, put

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)

RUNBOOKS = {
    "payments": "error err_5032 from the card gateway restart the payments gateway deployment",
    "queue": "queue consumers lag behind scale the consumers and drain the dead letters",
    "search": "search index is stale rebuild the index from the last snapshot",
    "ingress": "certificate expired renew the certificate and reload ingress",
    "database": "replication lag grows find the long transaction and stop it",
    "cache": "cache evicts keys raise the memory limit of the cache",
}


@asynccontextmanager
async def open_search(
    database_url: str,
    engine: str = "pg_search",
    *,
    embedder: BagOfWords | None = None,
    reranker: Reranker | None = None,
    max_distance: float = 0.8,
) -> AsyncGenerator[Search]:
    """A search over the runbooks."""
    async with open_store(database_url, engine) as store:
        await fill(store)
        yield Search(store, embedder or BagOfWords(), reranker=reranker, max_distance=max_distance)


async def fill(store: Store) -> None:
    """Store the runbooks, each a document of its own service."""
    for name, text in RUNBOOKS.items():
        await put(store, prepared(name, [text], service=name))


@both_engines
async def test_a_question_finds_its_runbook(database_url: str, engine: str) -> None:
    """The first of four passages answers, with its places in both rankings."""
    async with open_search(database_url, engine) as search:
        found = await search.search("How do I renew an expired certificate?")
    best = found.passages[0]
    assert len(found.passages) == 4
    assert best.source == "ingress"
    assert (best.vector_rank, best.keyword_rank) == (1, 1)
    assert best.rrf_score == pytest.approx(2 / 61)
    assert best.distance == found.best_distance
    assert not found.no_match
    assert found.degraded == ()
    stages = {"embed", "vector", "keyword", "fuse", "hydrate", "rerank", "total"}
    assert found.timings_ms.keys() - {"maxsim"} == stages
    assert max(found.timings_ms.values()) == found.timings_ms["total"]


@both_engines
async def test_filters_reach_both_searches(database_url: str, engine: str) -> None:
    """What is asked of one service comes from it alone."""
    async with open_search(database_url, engine) as search:
        found = await search.search("renew the certificate", Filters(services=("queue", "cache")))
    assert {each.service for each in found.candidates} == {"queue", "cache"}


async def test_the_gate_says_no_match_and_names_the_nearest(database_url: str) -> None:
    """Passages are filled all the same, and three documents are named, each once."""
    async with open_search(database_url, max_distance=0.3) as search:
        found = await search.search("what is for lunch in the canteen on friday")
    assert found.no_match
    assert found.best_distance is not None
    assert found.best_distance > 0.3
    assert len(found.passages) == 4
    assert len({near.source for near in found.nearest}) == 3
    distances = [near.distance for near in found.nearest if near.distance is not None]
    assert distances == sorted(distances)
    assert distances[0] == found.best_distance


async def test_the_gate_opens_at_the_very_distance(database_url: str) -> None:
    """A chunk exactly at the threshold still counts as a match; the slightest further doesn't."""
    async with open_search(database_url) as search:
        best = (await search.search("renew certificate")).best_distance
    assert best is not None
    async with open_search(database_url, max_distance=best) as search:
        assert not (await search.search("renew certificate")).no_match
    async with open_search(database_url, max_distance=float(np.nextafter(best, 0))) as search:
        assert (await search.search("renew certificate")).no_match


async def test_an_empty_corpus_is_no_match(database_url: str) -> None:
    """Nothing stored is no error."""
    async with open_store(database_url, "pg_search") as store:
        found = await Search(store, BagOfWords(), max_distance=0.9).search("anything")
    assert found.no_match
    assert (found.passages, found.nearest, found.best_distance) == ((), (), None)


async def test_without_an_embedder_keywords_answer(database_url: str) -> None:
    """The reply says so; half of the words in one chunk make a match, fewer don't."""
    embedder = BagOfWords()
    embedder.down = True
    async with open_search(database_url, embedder=embedder) as search:
        good = await search.search("rebuild stale search index")
        poor = await search.search("the index of books in our library was lost yesterday")
    assert not good.no_match
    assert good.passages[0].source == "search"
    assert good.passages[0].distance is None
    assert good.best_distance is None
    (sentence,) = good.degraded
    assert sentence.startswith("The embedder is down")
    assert good.nearest[0].source == "search"
    assert poor.no_match


class NoNumbers(BagOfWords):
    """An embedder whose vectors are no numbers."""

    async def embed_query(self, text: str) -> Vector:
        """A vector of NaN."""
        del text
        return np.full(self.size, np.nan, dtype=np.float32)


async def test_a_vector_of_no_numbers_counts_as_down(database_url: str) -> None:
    """A broken model makes the search poorer, not wrong."""
    async with open_search(database_url, embedder=NoNumbers()) as search:
        found = await search.search("renew certificate")
    assert found.degraded
    assert found.passages[0].source == "ingress"


class Backwards:
    """A reranker that turns the order round, or is down."""

    def __init__(self, *, down: bool = False) -> None:
        self.name: str = "backwards"
        self.down: bool = down

    async def rerank(self, query: str, passages: Sequence[Passage]) -> list[Passage]:
        """The passages, last first."""
        del query
        if self.down:
            raise RerankerDown("The reranker doesn't answer.")
        return list(reversed(passages))


async def test_the_reranker_has_the_last_word(database_url: str) -> None:
    """It orders all candidates before four are kept."""
    async with open_search(database_url, reranker=Backwards()) as search:
        found = await search.search("renew certificate")
    assert [each.source for each in found.passages] == [
        each.source for each in reversed(found.candidates)
    ][:4]


async def test_without_a_reranker_the_fused_order_stays(database_url: str) -> None:
    """The reply says so."""
    async with open_search(database_url, reranker=Backwards(down=True)) as search:
        found = await search.search("renew certificate")
    assert found.passages == found.candidates[:4]
    assert len(found.degraded) == 1


async def test_the_same_text_is_shown_once(database_url: str) -> None:
    """Copies of a page don't push other passages out of the four."""
    async with open_store(database_url, "pg_search") as store:
        await fill(store)
        search = Search(store, BagOfWords(), max_distance=0.8)
        for number in range(5):
            await put(store, prepared(f"copy{number}", [RUNBOOKS["ingress"]]))
        found = await search.search("renew expired certificate")
    assert len({each.text for each in found.passages}) == 4


async def test_lists_of_links_come_last(database_url: str) -> None:
    """They fill no place that a passage which says something could have, and are not lost."""
    async with open_store(database_url, "pg_search") as store:
        await fill(store)
        search = Search(store, BagOfWords(), max_distance=0.8)
        for number in range(5):
            links = f"[renew](a{number}) [expired](b) [certificate](c)"
            await put(store, prepared(f"links{number}", [links], service="links"))
        found = await search.search("renew expired certificate")
        assert not [each for each in found.passages if each.service == "links"]
        alone = await search.search("renew expired certificate", Filters(services=("links",)))
        assert len(alone.passages) == 4


async def test_private_documents_stay_private(database_url: str) -> None:
    """A channel's own document is found from there and from nowhere else, not even as nearest."""
    async with open_store(database_url, "pg_search") as store:
        await fill(store)
        search = Search(store, BagOfWords(), max_distance=0.8)
        await put(store, prepared("secret", ["merger xyzzy plan"], team="T1", audience="C1"))
        inside = await search.search("xyzzy merger plan", Filters(team="T1", audience="C1"))
        assert inside.passages[0].source == "secret"
        for filters in (
            Filters(),
            Filters(team="T1"),
            Filters(team="T1", audience="C2"),
            Filters(team="T2", audience="C1"),
            Filters(audience="C1"),
        ):
            outside = await search.search("xyzzy merger plan", filters)
            named = {each.source for each in (*outside.candidates, *outside.nearest)}
            assert "secret" not in named


@both_engines
@pytest.mark.parametrize(
    "query",
    [
        "",
        "   \n\t ",
        "\0",
        "the of and",
        "x" * 10_000,
        "word " * 10_000,
        "'; DROP TABLE corpus; --",
        '"unbalanced',
        "a:b (c OR [d TO e]) ~2 ^5 *",
        "%s %(x)s {} $1",
        "🔥🔥 :tada:",
        "データベースの複製が遅れています",
        "\ud83d half a pair",
        "\u202eright to left",
        "ERR_5032 /var/log/nginx/error.log 10.0.12.7",
    ],
)
async def test_no_question_raises(database_url: str, engine: str, query: str) -> None:
    """Any text gets a result, and the corpus is still there."""
    async with open_store(database_url, engine) as store:
        await fill(store)
        found = await Search(store, BagOfWords(), max_distance=0.8).search(query)
        assert found.query == query
        assert await store.counts() == (6, 6)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(max_size=60), value=st.text(max_size=10))
async def test_random_text_never_raises(database_url: str, query: str, value: str) -> None:
    """Not as a question, and not as a filter."""
    async with open_store(database_url, "pg_search") as store:
        search = Search(store, BagOfWords(), max_distance=0.5)
        assert (await search.search(query, Filters(services=(value,)))).no_match


async def test_a_database_that_is_down_is_one_error(database_url: str) -> None:
    """Not a group of them, and none of the driver's."""
    async with open_search(database_url) as search:
        pass
    with pytest.raises(QueryFailed):
        await search.search("renew certificate")


@both_engines
async def test_each_search_places_what_the_other_found(database_url: str, engine: str) -> None:
    """What keywords alone found has its distance, and what vectors alone found its words' place."""
    async with open_store(database_url, engine) as store:
        await put(store, prepared("near", [f"alpha beta x{n}" for n in range(25)]))
        await put(store, prepared("far", ["zeta " + " ".join(f"y{n}" for n in range(60))]))
        found = await Search(store, BagOfWords(), max_distance=2.0).search("alpha beta zeta")
    (far,) = [each for each in found.candidates if each.source == "far"]
    assert far.distance is not None
    assert far.vector_rank is not None
    assert far.vector_rank > 20
    assert all(each.keyword_rank and each.vector_rank for each in found.candidates)
    ranks = [each.vector_rank for each in found.candidates]
    assert len(set(ranks)) == len(ranks)


async def test_the_gate_looks_past_a_table_of_contents(database_url: str) -> None:
    """A list of links is near to what it names; alone it counts, beside a text it doesn't."""
    links = prepared("links", ["[renew](a.md) [expired](b.md) [certificate](c.md)"])
    text = prepared("text", ["restart the gateway when its queue is full"])
    async with open_store(database_url, "pg_search") as store:
        vector = vector_of("renew expired certificate")
        await store.write([Ready(links, {"links-0000": vector})])
        search = Search(store, BagOfWords(), max_distance=0.5)
        assert not (await search.search("renew expired certificate")).no_match
        await put(store, text)
        assert (await search.search("renew expired certificate")).no_match


@both_engines
async def test_mistyped_words_are_read_as_what_was_found(database_url: str, engine: str) -> None:
    """The page is found by its words, and the result tells how they were read."""
    async with open_search(database_url, engine) as search:
        found = await search.search("certifcate expired, how do i renwe it")
        right = await search.search("certificate expired, how do i renew it")
    assert found.mistyped == {"certifcate": "certificate", "renwe": "renew"}
    assert [each.source for each in found.passages] == [each.source for each in right.passages]
    assert found.confidence == right.confidence
    assert found.query == "certifcate expired, how do i renwe it"
    assert right.mistyped == {}


async def test_a_word_nobody_knows_is_searched_as_it_is(database_url: str) -> None:
    """Another product's name is no slip of a word of ours."""
    async with open_search(database_url) as search:
        found = await search.search("kafka certificate expired")
    assert found.mistyped == {}


class Reading(BagOfWords):
    """An embedder that says how much of a question a passage says, or is down when asked for it."""

    def __init__(self, *, says: float | None) -> None:
        super().__init__()
        self.says: float | None = says
        self.read: list[str] = []

    async def maxsim(self, question: str, passages: Sequence[str]) -> list[float]:
        """The same for each passage, and a note of them."""
        del question
        self.read.extend(passages)
        if self.says is None:
            raise EmbedderDown("The embedder doesn't answer.")
        return [self.says for _ in passages]


DOUBTFUL = "restart the search deployment from the queue"


async def test_passages_are_read_where_there_is_doubt(database_url: str) -> None:
    """What two of them say moves the confidence; what can't be read leaves it to the rest."""
    found = {}
    for says in (0.95, 0.3, None):
        embedder = Reading(says=says)
        async with open_search(database_url, embedder=embedder) as search:
            found[says] = await search.search(DOUBTFUL)
        assert len(embedder.read) == 2
    confidences = [each.confidence or 0.0 for each in found.values()]
    assert confidences[0] > confidences[2] > confidences[1]
    assert [each.signals.maxsim for each in found.values() if each.signals] == [0.95, 0.3, None]
    assert {each.degraded for each in found.values()} == {()}


async def test_what_is_sure_is_not_read(database_url: str) -> None:
    """Neither a text that stands there word for word nor another matter costs the reading."""
    embedder = Reading(says=0.5)
    async with open_search(database_url, embedder=embedder) as search:
        sure = await search.search(RUNBOOKS["cache"])
        other = await search.search("who won the football match yesterday")
    assert sure.confidence == 1.0
    assert other.confidence is not None
    assert other.confidence < 0.05
    assert embedder.read == []
