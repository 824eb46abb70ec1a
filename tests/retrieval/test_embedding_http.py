"""Embeddings over HTTP: every way in which a server misbehaves ends in a value or a sentence."""

import asyncio
import base64
import socket
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest

from retrieval.embedding_http import EmbeddingServer, HttpEmbedder, http_embedder
from retrieval.errors import EmbedderDown
from tests.model_server import Fault, ModelServer, model_server
from tests.retrieval.bag_of_words import vector_of

TEXTS = [f"service number {number} is down" for number in range(7)]


@pytest.fixture
async def models() -> AsyncGenerator[ModelServer]:
    """A server that is right until told otherwise."""
    async with model_server() as running:
        yield running


@asynccontextmanager
async def opened(
    models: ModelServer, size_when_down: int | None = None, **settings: Any
) -> AsyncGenerator[HttpEmbedder]:
    """An embedder that has learnt its dimensions already; the server's memory of that is gone."""
    config = replace(EmbeddingServer(models.url, "some-model", timeout=5), **settings)
    async with http_embedder(config, size_when_down=size_when_down) as embedder:
        models.asked.clear()
        yield embedder


async def refusal(embedder: HttpEmbedder, texts: list[str] | None = None) -> str:
    """Return the sentence of a question, or of documents, that gets no vector."""
    with pytest.raises(EmbedderDown) as caught:
        await (embedder.embed_query("why?") if texts is None else embedder.embed_documents(texts))
    sentence = str(caught.value)
    assert sentence.startswith("The embedder at 127.0.0.1:")
    assert sentence.endswith(".")
    return sentence


async def test_dimensions_take_one_request(models: ModelServer) -> None:
    """They are learnt at the start, whatever they are."""
    models.size = 17
    config = EmbeddingServer(models.url, "some-model")
    async with http_embedder(config) as embedder:
        assert (embedder.size, embedder.name) == (17, "some-model")
        assert len(models.asked) == 1


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/embeddings", "/api"])
async def test_an_address_is_completed(models: ModelServer, path: str) -> None:
    """The server, its `/v1` and the whole address are all taken."""
    async with http_embedder(EmbeddingServer(models.url + path, "some-model")) as embedder:
        await embedder.embed_query("why?")
    wanted = "/api/embeddings" if path == "/api" else "/v1/embeddings"
    assert {asked for asked, _ in models.asked} == {wanted}


async def test_prefixes_model_and_key_are_sent(models: ModelServer) -> None:
    """Questions and documents each have their prefix; that of documents is part of the name."""
    models.key = "sesame-open"
    settings: dict[str, Any] = {
        "query_prefix": "search_query: ",
        "document_prefix": "search_document: ",
    }
    async with opened(models, api_key="sesame-open", **settings) as embedder:
        await embedder.embed_query("why?")
        await embedder.embed_documents(["because"])
        assert embedder.name == "some-model after “search_document: ”"
        assert "sesame" not in repr(embedder.__dict__)
    assert [body for _, body in models.asked] == [
        {"model": "some-model", "input": ["search_query: why?"]},
        {"model": "some-model", "input": ["search_document: because"]},
    ]


def reordered(right: Any) -> Any:
    """The vectors last first, with their places."""
    return {**right, "data": right["data"][::-1]}


def unplaced(right: Any) -> Any:
    """The vectors without their places."""
    return {"data": [{"embedding": item["embedding"]} for item in right["data"]]}


def as_base64(right: Any) -> Any:
    """The vectors as OpenAI's own client asks for them."""
    return {
        "data": [
            {
                **item,
                "embedding": base64.b64encode(
                    np.asarray(item["embedding"], dtype="<f4").tobytes()
                ).decode(),
            }
            for item in right["data"]
        ]
    }


@pytest.mark.parametrize("twist", [reordered, unplaced, as_base64])
async def test_other_forms_give_the_right_vectors(
    models: ModelServer, twist: Callable[[Any], Any]
) -> None:
    """Out of order, without places and in base64, each text gets its own unit vector."""
    async with opened(models) as embedder:
        models.faults.append(Fault(twist=twist))
        vectors = await embedder.embed_documents(TEXTS)
    for vector, text in zip(vectors, TEXTS, strict=True):
        assert np.allclose(vector, vector_of(text), atol=1e-6)


def spoilt(embedding: Any) -> Fault:
    """An answer whose last vector is another."""
    return Fault(
        twist=lambda right: {
            "data": [*right["data"][:-1], {**right["data"][-1], "embedding": embedding}]
        }
    )


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(twist=lambda right: {"data": right["data"][1:]}), "6 vectors for 7 texts"),
        (Fault(twist=lambda right: {"data": right["data"] * 2}), "14 vectors for 7 texts"),
        (spoilt([0.5] * 8), "different sizes"),
        (spoilt([0.0] * 384), "zeros"),
        (spoilt([float("nan")] * 384), "no numbers"),
        (spoilt([float("inf")] + [0.0] * 383), "no numbers"),
        (spoilt([None] * 384), "no numbers"),
        (spoilt(["a"] * 384), "something else than numbers"),
        (spoilt([10**400] * 384), "something else than numbers"),
        (spoilt([[0.1] * 384]), "one vector a text"),
        (spoilt([[0.1], [0.2, 0.3]]), "something else than numbers"),
        (spoilt([]), "one vector a text"),
        (spoilt(None), "something else than numbers|one vector"),
        (spoilt("not base64!"), "something else than numbers"),
        (spoilt("AAAA"), "something else than numbers"),
        (
            Fault(twist=lambda right: {"data": [{**item, "index": 0} for item in right["data"]]}),
            "which vector belongs",
        ),
        (
            Fault(
                twist=lambda right: {
                    "data": [{**item, "index": item["index"] + 1} for item in right["data"]]
                }
            ),
            "which vector belongs",
        ),
        (Fault(body={"object": "list"}), "no embeddings"),
        (Fault(body=[1, 2]), "no embeddings"),
        (Fault(body={"data": [[0.1] * 384] * 7}), "no embeddings"),
        (Fault(404, {"error": "model not found, try pulling it"}), "try pulling it.*_MODEL"),
        (Fault(405, raw="Method Not Allowed"), "_URL"),
        (Fault(307, raw="", headers={"Location": "http://127.0.0.1:1/"}), "points to another"),
        (Fault(501, {"error": {"code": 501, "message": "no\nembeddings here"}}), "no embeddings"),
        (Fault(200, {"error": {"code": 404, "message": "no such model"}}), "no such model"),
        (Fault(200, {"error": {"code": 401, "message": "who are you?"}}), "_API_KEY"),
    ],
)  # fmt: skip
async def test_what_can_not_be_used_is_refused(
    models: ModelServer, fault: Fault, words: str
) -> None:
    """Nothing of the batch counts, the sentence says what is wrong, and nothing is asked twice."""
    async with opened(models) as embedder:
        models.faults.append(fault)
        with pytest.raises(EmbedderDown, match=words) as caught:
            await embedder.embed_documents(TEXTS)
        assert str(caught.value).endswith(".")
        assert "\n" not in str(caught.value)
        assert len(models.asked) == 1
        assert len(await embedder.embed_documents(TEXTS)) == 7


@pytest.mark.parametrize(
    "fault",
    [
        Fault(drop=True),
        Fault(500, raw="<html>oops</html>"),
        Fault(503, {"error": {"message": "Loading model", "type": "unavailable_error"}}),
        Fault(429, {"error": "slow down"}, headers={"Retry-After": "0"}),
        Fault(429, {"error": "slow down"}, headers={"Retry-After": formatdate(0, usegmt=True)}),
        Fault(429, {"error": "slow down"}, headers={"Retry-After": "soon"}),
        Fault(200, {"error": "out of memory"}),
        Fault(200, {"error": {"message": "busy", "code": 503}}),
        Fault(200, raw="not JSON"),
        Fault(200, raw=""),
    ],
)
async def test_what_passes_is_tried_again(models: ModelServer, fault: Fault) -> None:
    """A question and a batch each survive two bad answers."""
    async with opened(models) as embedder:
        models.faults.extend([fault, fault])
        assert np.allclose(await embedder.embed_query("why?"), vector_of("why?"), atol=1e-6)
        models.faults.extend([fault, fault])
        assert len(await embedder.embed_documents(["because"])) == 1
        assert len(models.asked) == 6


async def test_a_question_gives_up_after_three_attempts(models: ModelServer) -> None:
    """Keywords answer meanwhile; the sentence quotes the server in one line."""
    async with opened(models) as embedder:
        models.faults.extend([Fault(503, {"error": {"message": "Loading\nmodel"}})] * 9)
        assert "HTTP 503, Loading model" in await refusal(embedder)
        assert len(models.asked) == 3


async def test_the_server_says_when_to_ask_again(models: ModelServer) -> None:
    """A pause it asks for is kept, and one that is too long for a question ends it at once."""
    async with opened(models) as embedder:
        models.faults.append(Fault(429, {"error": "x"}, headers={"Retry-After": "1"}))
        before = time.monotonic()
        await embedder.embed_query("why?")
        assert time.monotonic() - before >= 1
        models.asked.clear()
        models.faults.append(Fault(429, {"error": "x"}, headers={"Retry-After": "3600"}))
        assert "429" in await refusal(embedder)
        assert len(models.asked) == 1


async def test_a_server_that_hangs_is_given_up(models: ModelServer) -> None:
    """A question waits for its timeout and no longer."""
    never = asyncio.Event()
    async with opened(models, timeout=0.3) as embedder:
        models.faults.append(Fault(until=never))
        assert "0.3 s" in await refusal(embedder)
        assert len(await embedder.embed_documents(["again"])) == 1


async def test_a_refused_key_is_not_shown(models: ModelServer) -> None:
    """Not even when the server repeats it; and it isn't tried twice."""
    async with opened(models, api_key="sk-very-secret") as embedder:
        models.key = "another"
        sentence = await refusal(embedder)
    assert "FOOTNOTE_EMBEDDER_API_KEY" in sentence
    assert "wrong key Bearer …" in sentence
    assert "secret" not in sentence
    assert len(models.asked) == 1


async def test_nobody_there_is_one_sentence() -> None:
    """It says which setting to look at, and shows no password of the address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://me:hush@127.0.0.1:{taken.getsockname()[1]}/v1?token=hush"
        with pytest.raises(EmbedderDown, match=r"doesn't answer.*FOOTNOTE_EMBEDDER_URL") as caught:
            async with http_embedder(EmbeddingServer(url, "some-model", timeout=1)):
                pass
    assert "hush" not in str(caught.value)


async def test_the_table_stands_in_for_a_server_that_is_down(models: ModelServer) -> None:
    """With known dimensions the start goes on, and vectors of that size count when they come."""
    models.faults.extend([Fault(503, {"error": "starting"})] * 6)
    async with opened(models, size_when_down=384) as embedder:
        assert embedder.size == 384
        assert "starting" in await refusal(embedder)
        assert len(await embedder.embed_query("why?")) == 384


async def test_another_size_later_is_refused_with_both_numbers(models: ModelServer) -> None:
    """A server whose model was changed under us is told apart at the first vector."""
    async with opened(models) as embedder:
        models.size = 96
        for texts in (None, TEXTS):
            sentence = await refusal(embedder, texts)
            assert "96" in sentence
            assert "384" in sentence
            assert "footnote reembed" in sentence


@pytest.mark.parametrize(
    "too_long",
    [
        Fault(413, {"error": "Input validation error", "error_type": "Validation"}),
        Fault(422, {"detail": [{"msg": "too many", "input": "secret text"}]}),
        Fault(400, {"error": {"message": "maximum context length exceeded"}}),
        Fault(500, {"error": {"code": 500, "message": "input is too large to process. inc"}}),
        Fault(200, {"error": {"code": 400, "message": "too long"}}),
    ],
)
async def test_what_is_too_much_is_sent_in_parts(models: ModelServer, too_long: Fault) -> None:
    """A batch too large is halved, a text too long is cut, and the order is kept."""
    models.too_long = too_long
    async with opened(models) as embedder:
        models.most_texts, models.longest = 2, 900
        texts = [*TEXTS, "word " * 500, "the last"]
        vectors = await embedder.embed_documents(texts)
        assert len(await embedder.embed_query("pasted log " * 700)) == 384
    for vector, text in zip(vectors, texts, strict=True):
        assert np.allclose(vector, vector_of(text), atol=1e-6)


async def test_a_server_that_takes_nothing_is_given_up(models: ModelServer) -> None:
    """Halving ends, with the server's own words and nothing of the text."""
    async with opened(models) as embedder:
        models.most_texts = 0
        models.too_long = Fault(422, {"detail": [{"msg": "no embeddings", "input": "private"}]})
        sentence = await refusal(embedder, ["private words " * 100] * 16)
        assert "HTTP 422, no embeddings" in sentence
        assert "private" not in sentence
        assert len(models.asked) < 12


async def test_batches_are_bounded(models: ModelServer) -> None:
    """No request has more texts than set, and two at most are under way."""
    async with opened(models, batch=4) as embedder:
        models.pause = 0.01
        await embedder.embed_documents([f"text {number}" for number in range(50)])
    assert {len(body["input"]) for _, body in models.asked} == {4, 2}
    assert models.most_at_once == 2


async def test_a_question_does_not_wait_behind_an_ingest(models: ModelServer) -> None:
    """Its vector comes while all batches that may run are stuck."""
    release, stuck = asyncio.Event(), asyncio.Event()
    async with opened(models, batch=2) as embedder, asyncio.TaskGroup() as group:
        models.faults.extend([Fault(until=release), Fault(until=release, arrived=stuck)])
        ingest = group.create_task(embedder.embed_documents(TEXTS))
        await stuck.wait()
        assert len(await embedder.embed_query("who is on call?")) == 384
        assert not ingest.done()
        release.set()
    assert len(ingest.result()) == len(TEXTS)


async def test_a_batch_that_fails_ends_the_others(models: ModelServer) -> None:
    """One EmbedderDown comes out, not a group, and nobody waits for what hangs."""
    never = asyncio.Event()
    async with opened(models, batch=2) as embedder:
        models.faults.extend([Fault(until=never), Fault(404, {"error": "gone"})])
        assert "gone" in await refusal(embedder, TEXTS)
        assert len(await embedder.embed_documents(TEXTS)) == 7
