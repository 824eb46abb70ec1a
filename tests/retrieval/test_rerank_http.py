"""Rerankers over REST, in both shapes: the right order, or RerankerDown in time."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from retrieval.documents import Passage
from retrieval.errors import RerankerDown
from retrieval.rerank import KeepOrder, Reranker
from retrieval.rerank_http import RerankingServer, RerankShape, http_reranker
from retrieval.search import Search
from tests.model_server import Fault, ModelServer, model_server
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import open_store, prepared, put

both_shapes = pytest.mark.parametrize("shape", ["tei", "jina"])


def passage(text: str, context: str = "") -> Passage:
    """A passage that says no more than this."""
    return Passage(text, text, text, text, "", context, None, "", "", None, text)


PASSAGES = [
    passage("invoices are mailed on monday"),
    passage("the disk is full"),
    passage("a disk"),
    passage("the volume has no space left"),
    passage("restart the consumer"),
]
ORDER = [1, 2, 0, 3, 4]
"""Of the passages, for "disk full": two words, one word, and three that have none."""


@pytest.fixture
async def models() -> AsyncGenerator[ModelServer]:
    """A server that is right until told otherwise."""
    async with model_server() as running:
        yield running


@asynccontextmanager
async def opened(
    models: ModelServer, shape: RerankShape = "jina", **settings: Any
) -> AsyncGenerator[Reranker]:
    """A reranker on the server."""
    config = RerankingServer(models.url, shape, model="some-reranker", timeout=3)
    async with http_reranker(replace(config, **settings)) as reranker:
        yield reranker


@both_shapes
async def test_both_shapes_order_and_score(models: ModelServer, shape: RerankShape) -> None:
    """The best comes first, ties keep their order, and logits stay what they are."""
    async with opened(models, shape) as reranker:
        ordered = await reranker.rerank("disk full", PASSAGES)
    assert [each.text for each in ordered] == [PASSAGES[place].text for place in ORDER]
    assert [each.rerank_score for each in ordered] == [-0.5, -1.5, -2.5, -2.5, -2.5]


async def test_each_shape_asks_in_its_own_words(models: ModelServer) -> None:
    """Path and fields are those of the servers' documentation; the breadcrumb is read too."""
    found = [passage("restart it", context="Queue › Lag"), passage("wait")]
    async with opened(models, "tei") as reranker:
        await reranker.rerank("lag", found)
    async with opened(models, api_key="sesame") as reranker:
        await reranker.rerank("lag", found)
        assert reranker.name == "some-reranker"
    async with opened(models, model=None) as reranker:
        await reranker.rerank("lag", found)
        assert reranker.name in models.url
    texts = ["Queue › Lag\nrestart it", "wait"]
    assert models.asked == [
        ("/rerank", {"query": "lag", "texts": texts, "truncate": True}),
        (
            "/v1/rerank",
            {"model": "some-reranker", "query": "lag", "documents": texts, "top_n": 2},
        ),
        ("/v1/rerank", {"query": "lag", "documents": texts, "top_n": 2}),
    ]
    keys = [headers.get("authorization") for headers in models.headers]
    assert keys == [None, "Bearer sesame", None]


def scored(*pairs: tuple[Any, Any]) -> Fault:
    """An answer with these indices and scores."""
    return Fault(body={"results": [{"index": i, "relevance_score": s} for i, s in pairs]})


async def test_what_is_left_out_comes_last(models: ModelServer) -> None:
    """A server that returns its best few alone doesn't lose us the others."""
    async with opened(models) as reranker:
        models.faults.append(scored((3, 0.1), (2, 0.9)))
        ordered = await reranker.rerank("disk full", PASSAGES)
    assert [PASSAGES.index(replace(each, rerank_score=None)) for each in ordered] == [2, 3, 0, 1, 4]
    assert [each.rerank_score for each in ordered] == [0.9, 0.1, None, None, None]


async def test_ties_keep_the_fused_order_whatever_the_server_does(models: ModelServer) -> None:
    """Equal scores in any order of the answer are no reordering."""
    async with opened(models) as reranker:
        models.faults.append(scored((4, 0.5), (0, 0.5), (3, 0.5), (1, 0.5), (2, 1)))
        ordered = await reranker.rerank("disk full", PASSAGES)
    assert [each.text for each in ordered] == [PASSAGES[n].text for n in (2, 0, 1, 3, 4)]


@pytest.mark.parametrize(
    "fault",
    [
        scored((5, 0.5)),
        scored((-1, 0.5)),
        scored((0, 0.5), (0, 0.4)),
        scored(("0", 0.5)),
        scored((0, float("nan"))),
        scored((0, None)),
        scored((0, "high")),
        scored((None, 0.5)),
        scored(),
        Fault(body={"data": "?"}),
        Fault(body=[[0, 0.5]]),
        Fault(body=[0.5, 0.2, 0.1, 0.1, 0.1]),
        Fault(body={"error": {"code": 400, "message": "no reranker"}}),
        Fault(404, {"error": "no such model"}),
        Fault(501, {"error": {"code": 501, "message": "Start it with `--reranking`"}}),
        Fault(413, {"error": "batch size 5 > maximum allowed batch size 4"}),
    ],
)
async def test_what_can_not_be_used_is_refused(models: ModelServer, fault: Fault) -> None:
    """An order that may be wrong is none; one sentence says what to do."""
    async with opened(models) as reranker:
        models.faults.extend([fault] * 3)
        with pytest.raises(RerankerDown) as caught:
            await reranker.rerank("disk full", PASSAGES)
    assert str(caught.value).startswith("The reranker at 127.0.0.1:")
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "fault", [Fault(drop=True), Fault(503, raw="busy"), Fault(200, {"error": "busy"})]
)
async def test_what_passes_is_tried_once_more(models: ModelServer, fault: Fault) -> None:
    """One bad answer costs no order."""
    async with opened(models) as reranker:
        models.faults.append(fault)
        ordered = await reranker.rerank("disk full", PASSAGES)
    assert ordered[0].text == "the disk is full"
    assert len(models.asked) == 2


@both_shapes
async def test_texts_too_long_are_cut(models: ModelServer, shape: RerankShape) -> None:
    """One long chunk or a pasted log would otherwise cost the order of all."""
    models.longest = 500
    models.too_long = Fault(500, {"error": {"message": "input is too large to process."}})
    found = [passage("word " * 300), passage("the disk is full")]
    async with opened(models, shape) as reranker:
        ordered = await reranker.rerank("disk full " * 500, found)
    assert ordered[0].text == "the disk is full"


async def test_nothing_found_asks_nothing(models: ModelServer) -> None:
    """An empty list needs no server."""
    async with opened(models) as reranker:
        assert await reranker.rerank("why?", []) == []
    assert await KeepOrder().rerank("why?", PASSAGES) == PASSAGES
    assert not models.asked


@pytest.mark.parametrize("query", ["", "\0", "\ud800", "x" * 100_000, '"}]'])
async def test_any_question_can_be_asked(models: ModelServer, query: str) -> None:
    """Whatever was pasted, all passages come back."""
    async with opened(models) as reranker:
        ordered = await reranker.rerank(query, [*PASSAGES, passage("\ud83d \0")])
    assert len(ordered) == 6


async def test_a_search_goes_on_without_its_reranker(
    models: ModelServer, database_url: str
) -> None:
    """Slow, then down: the fused order within the timeout, and a sentence for the reply."""
    never = asyncio.Event()
    async with (
        open_store(database_url, "pg_search") as store,
        opened(models, timeout=0.3) as reranker,
    ):
        for name in ("disk full", "disk", "queue lag"):
            await put(store, prepared(name, [f"the {name} page"]))
        search = Search(store, BagOfWords(), reranker=reranker, max_distance=1.0)
        right = await search.search("disk full")
        assert right.degraded == ()
        assert right.passages[0].rerank_score == -0.5
        for fault in (Fault(until=never), Fault(503, raw="down"), Fault(404, {"error": "gone"})):
            models.faults.extend([fault] * 2)
            before = time.monotonic()
            found = await search.search("disk full")
            models.faults.clear()
            assert time.monotonic() - before < 3
            assert found.passages == found.candidates[:4]
            assert found.candidates == right.candidates
            (sentence,) = found.degraded
            assert sentence.startswith("The reranker is down or slow")
