"""A server that keeps its askers waiting: one waits, the others go on without it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest

from retrieval.embedding_http import EmbeddingServer, http_embedder
from retrieval.endpoint import EndpointFailed
from retrieval.errors import EmbedderDown, RerankerDown
from retrieval.rerank_http import RerankingServer, http_reranker
from retrieval.resting import Rests
from retrieval.search import Search
from tests.model_server import Fault, ModelServer, model_server
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import open_store, prepared, put
from tests.retrieval.test_rerank_http import passage


class Clock:
    """A time that passes when it is told to."""

    def __init__(self) -> None:
        self.now: float = 100.0

    def __call__(self) -> float:
        """The seconds so far."""
        return self.now


@pytest.fixture
async def models() -> AsyncGenerator[ModelServer]:
    """A server that is right until told otherwise."""
    async with model_server() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    """The rests' time."""
    return Clock()


@pytest.fixture
def rests(clock: Clock) -> Rests:
    """The rests of a server whose failures are long from one second on."""
    return Rests("The embedder", 1.0, clock)


def ask(rests: Rests, clock: Clock, took: float, *, fails: bool) -> bool:
    """Say whether the server was asked, by one request of so many seconds."""
    asked = False
    with suppress(EndpointFailed, TimeoutError), rests.asking():
        asked = True
        clock.now += took
        if fails:
            raise TimeoutError
    return asked


def test_rests_grow_and_end_with_a_success(rests: Rests, clock: Clock) -> None:
    """5, 10, 20, 40 seconds, then a minute each; after a success it begins anew."""
    for rest in (5, 10, 20, 40, 60, 60):
        assert ask(rests, clock, 2, fails=True)
        clock.now += rest - 0.1
        assert not ask(rests, clock, 0, fails=False)
        clock.now += 0.1
    assert ask(rests, clock, 0, fails=False)
    assert ask(rests, clock, 0, fails=False)
    assert ask(rests, clock, 2, fails=True)
    clock.now += 5
    assert ask(rests, clock, 0, fails=False)


def test_what_fails_at_once_is_no_reason_to_rest(rests: Rests, clock: Clock) -> None:
    """A text that a server chokes on takes it from nobody else."""
    assert ask(rests, clock, 0.5, fails=True)
    assert ask(rests, clock, 0, fails=False)


def test_one_probes_and_the_others_go_on(rests: Rests, clock: Clock) -> None:
    """After the rest a single request goes out; a cancelled one leaves the place to the next."""
    ask(rests, clock, 2, fails=True)
    clock.now += 5
    with suppress(asyncio.CancelledError), rests.asking():
        assert not ask(rests, clock, 0, fails=False)
        raise asyncio.CancelledError
    with rests.asking():
        assert not ask(rests, clock, 0, fails=False)
    assert ask(rests, clock, 0, fails=False)


def test_requests_side_by_side_fail_once(rests: Rests, clock: Clock) -> None:
    """Ten that waited together make a rest of five seconds, not of a minute."""
    with suppress(TimeoutError), rests.asking():
        with suppress(TimeoutError), rests.asking():
            clock.now += 2
            raise TimeoutError
        raise TimeoutError
    clock.now += 5
    assert ask(rests, clock, 0, fails=False)


async def test_a_hanging_embedder_is_asked_by_one_question(
    database_url: str, models: ModelServer
) -> None:
    """The next search goes by keywords at once, and its reply says so as for the first."""
    server = EmbeddingServer(models.url, "some-model", timeout=0.3)
    async with http_embedder(server) as embedder, open_store(database_url, "pg_search") as store:
        await put(store, prepared("doc", ["one two"]))
        search = Search(store, embedder, max_distance=2.0)
        models.asked.clear()
        hangs = asyncio.Event()
        models.faults.append(Fault(until=hangs))
        results = [await search.search("one two") for _ in range(3)]
        hangs.set()
    assert len(models.asked) == 1
    assert [each.source for each in results[2].passages] == ["doc"]
    assert results[0].degraded == results[2].degraded != ()


async def test_an_ingest_asks_a_resting_server(models: ModelServer) -> None:
    """It has time, and its answers are the sooner there."""
    server = EmbeddingServer(models.url, "some-model", timeout=0.3)
    async with http_embedder(server) as embedder:
        hangs = asyncio.Event()
        models.faults.append(Fault(until=hangs))
        for reason in ("didn't answer|longer", "rests"):
            with pytest.raises(EmbedderDown, match=reason):
                await embedder.embed_query("why?")
        assert len(await embedder.embed_documents(["because"])) == 1
        hangs.set()


async def test_a_hanging_reranker_is_asked_by_one_search(models: ModelServer) -> None:
    """The next keeps the fused order without a wait."""
    server = RerankingServer(models.url, timeout=0.3)
    async with http_reranker(server) as reranker:
        hangs = asyncio.Event()
        models.faults.append(Fault(until=hangs))
        for reason in ("didn't answer|longer", "rests"):
            with pytest.raises(RerankerDown, match=reason):
                await reranker.rerank("why?", [passage("because")])
        hangs.set()
    assert len(models.asked) == 1


async def test_a_bundled_embedder_never_rests(database_url: str) -> None:
    """What runs in this process answers or fails at once: each question asks it."""
    embedder = BagOfWords()
    embedder.down = True
    async with open_store(database_url, "pg_search") as store:
        await put(store, prepared("doc", ["one two"]))
        search = Search(store, embedder, max_distance=2.0)
        assert (await search.search("one")).degraded
        embedder.down = False
        assert not (await search.search("one")).degraded
