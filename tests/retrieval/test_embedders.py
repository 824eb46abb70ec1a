"""What every embedder keeps to: the bundled one, one over HTTP, and the tests' own."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import numpy as np
import pytest

from retrieval.embedding import Embedder, bundled_embedder
from retrieval.embedding_http import EmbeddingServer, http_embedder
from tests.model_server import model_server
from tests.retrieval.bag_of_words import BagOfWords

type Open = Callable[[], AbstractAsyncContextManager[Embedder]]


@asynccontextmanager
async def over_http() -> AsyncGenerator[Embedder]:
    """An embedder that asks a server with prefixes, three texts at a time."""
    async with model_server() as server:
        settings = EmbeddingServer(
            server.url, "some-model", query_prefix="query: ", document_prefix="text: ", batch=3
        )
        async with http_embedder(settings) as embedder:
            yield embedder


@asynccontextmanager
async def bag_of_words() -> AsyncGenerator[Embedder]:
    """The tests' own."""
    yield BagOfWords()


every_embedder = pytest.mark.parametrize("opened", [bundled_embedder, over_http, bag_of_words])


@every_embedder
async def test_vectors_have_the_size_and_length_1(opened: Open) -> None:
    """Vectors of questions and documents are of one kind: float32, `size` long, of length 1."""
    async with opened() as embedder:
        assert embedder.name
        vectors = [
            await embedder.embed_query("why is the disk full?"),
            *await embedder.embed_documents(["The disk is full.", "Invoices go out."]),
        ]
    for vector in vectors:
        assert vector.shape == (embedder.size,)
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


@every_embedder
async def test_a_question_is_nearer_to_what_it_is_about(opened: Open) -> None:
    """The distance orders documents."""
    async with opened() as embedder:
        asked = await embedder.embed_query("why is the disk full?")
        near, far = await embedder.embed_documents(["The disk is full.", "Invoices go out."])
    assert asked @ near > asked @ far


@every_embedder
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
async def test_any_number_of_texts_keeps_its_order(opened: Open, count: int) -> None:
    """As many vectors as texts, each the one that the text has alone."""
    texts = [f"service number {number} is down" for number in range(count)]
    async with opened() as embedder:
        together = await embedder.embed_documents(texts)
        alone = [(await embedder.embed_documents([text]))[0] for text in texts]
    assert len(together) == count
    for a, b in zip(together, alone, strict=True):
        assert np.allclose(a, b, atol=1e-6)


@every_embedder
@pytest.mark.parametrize(
    "text",
    ["", "  \n\t ", "\0", "a\0b", "\ud800", "x" * 100_000, "💥" * 3000, '"}]\\'],
    ids=["empty", "blank", "nul", "nul-inside", "surrogate", "long", "emoji", "json"],
)
async def test_any_text_has_a_vector(opened: Open, text: str) -> None:
    """Whatever was pasted gets a finite vector, as a question and as a document."""
    async with opened() as embedder:
        vectors = [await embedder.embed_query(text), *await embedder.embed_documents([text])]
    for vector in vectors:
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


@every_embedder
async def test_many_may_ask_at_once(opened: Open) -> None:
    """Answers don't get mixed up."""
    async with opened() as embedder:
        texts = [f"question {number}" for number in range(12)]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(embedder.embed_query(text)) for text in texts]
        for text, task in zip(texts, tasks, strict=True):
            assert np.allclose(task.result(), await embedder.embed_query(text), atol=1e-6)
