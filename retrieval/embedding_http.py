"""Embeddings from a server that speaks OpenAI's `/v1/embeddings`: LM Studio, Ollama, and others.

Questions go straight out; texts of documents go in batches, a few at once, so that a question
never waits here behind an ingest. Whatever a server gives is checked before it counts: as many
vectors as texts, in the order of their `index`, of one size, of finite numbers, not all zero.
"""

import asyncio
import base64
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import batched, chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from retrieval.endpoint import Endpoint, EndpointFailed, Patience, TooMuch, open_endpoint
from retrieval.errors import EmbedderDown
from retrieval.resting import Rests

if TYPE_CHECKING:
    from retrieval.embedding import Vector

__all__ = ["EmbeddingServer", "HttpEmbedder", "http_embedder"]

_BATCHES_AT_ONCE: Final = 2

_QUESTION_ATTEMPTS: Final = 3
# A batch on a busy processor takes a minute; a rate limit is waited out.
_DOCUMENTS: Final = Patience(seconds=300, attempts=7)
_AT_START: Final = Patience(seconds=60, attempts=5)  # a server may load its model only now

_NO_REST: Final = nullcontext()  # an ingest waits as long as it takes

_LONGEST: Final = 20_000  # characters; no model reads as many
_SHORTEST: Final = 200  # a text that is refused is cut no further


@dataclass(frozen=True, slots=True)
class EmbeddingServer:
    """Where the embeddings come from, and how its model wants to be asked.

    Some models were trained with a prefix before questions and another before documents
    (nomic-embed-text: `search_query: ` and `search_document: `). `timeout` is the seconds that a
    question may take, repeats included.
    """

    url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    query_prefix: str = ""
    document_prefix: str = ""
    batch: int = 16
    timeout: float = 5.0


class HttpEmbedder:
    """An `Embedder` over HTTP, made by `http_embedder`."""

    def __init__(self, server: EmbeddingServer, endpoint: Endpoint, size: int) -> None:
        self._server: EmbeddingServer = server
        self._endpoint: Endpoint = endpoint
        self._batches: asyncio.Semaphore = asyncio.Semaphore(_BATCHES_AT_ONCE)
        self._rests: Rests = Rests(endpoint.who, server.timeout / 2)
        self.size: int = size

    @property
    def name(self) -> str:
        """The model's name, and the documents' prefix, which changes their vectors as well."""
        prefix = self._server.document_prefix
        return f"{self._server.model} after “{prefix}”" if prefix else self._server.model

    async def embed_query(self, text: str) -> "Vector":
        """The vector of a question, or EmbedderDown within the server's timeout.

        At once while the server rests from having kept a question waiting.
        """
        patience = Patience(self._server.timeout, _QUESTION_ATTEMPTS)
        prefix = self._server.query_prefix
        (vector,) = await self._vectors([text], prefix, patience, self._rests.asking())
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> list["Vector"]:
        """The vectors of chunks, however many, in their order."""
        try:
            async with asyncio.TaskGroup() as group:
                batches = [
                    group.create_task(self._batch(batch))
                    for batch in batched(texts, self._server.batch)
                ]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        return list(chain.from_iterable(batch.result() for batch in batches))

    async def maxsim(self, question: str, passages: Sequence[str]) -> None:
        """Nothing: a server gives the vectors of whole texts only."""
        del question, passages

    async def _batch(self, texts: Sequence[str]) -> list["Vector"]:
        async with self._batches:
            return await self._vectors(texts, self._server.document_prefix, _DOCUMENTS)

    async def _vectors(
        self,
        texts: Sequence[str],
        prefix: str,
        patience: Patience,
        asking: AbstractContextManager[None] = _NO_REST,
    ) -> list["Vector"]:
        try:
            with asking:
                async with asyncio.timeout(patience.seconds):
                    vectors = await _fitting(
                        self._endpoint, self._server.model, texts, prefix, patience
                    )
        except EndpointFailed as error:
            raise EmbedderDown(str(error)) from error
        except TimeoutError as error:
            raise EmbedderDown(
                f"{self._endpoint.who} took longer than {patience.seconds:g} s."
            ) from error
        for vector in vectors:
            if vector.size != self.size:
                raise EmbedderDown(
                    f"{self._endpoint.who} gives vectors of {vector.size} dimensions, and the "
                    f"table's have {self.size}: set FOOTNOTE_EMBEDDER_MODEL to the model the "
                    "corpus was ingested with, or run `footnote reembed`."
                )
        return vectors


@asynccontextmanager
async def http_embedder(
    server: EmbeddingServer, *, size_when_down: int | None = None
) -> AsyncGenerator[HttpEmbedder]:
    """Open an embedder, and learn its dimensions by one request.

    Args:
        server: where it is and how it wants to be asked.
        size_when_down: the dimensions to go on with when it doesn't answer now, those of the
            table; every later vector is held against them. None refuses to start.

    Raises:
        EmbedderDown: it doesn't answer, and the dimensions aren't known otherwise.
    """
    async with open_endpoint(
        server.url,
        "/v1/embeddings",
        api_key=server.api_key,
        who="The embedder",
        variables="FOOTNOTE_EMBEDDER",
    ) as endpoint:
        known = size_when_down is not None
        patience = Patience(server.timeout, _QUESTION_ATTEMPTS) if known else _AT_START
        try:
            (vector,) = await _fitting(
                endpoint, server.model, ["How many dimensions?"], server.query_prefix, patience
            )
            size = vector.size
        except EndpointFailed as error:
            if size_when_down is None:
                raise EmbedderDown(str(error)) from error
            size = size_when_down
        yield HttpEmbedder(server, endpoint, size)


async def _fitting(
    endpoint: Endpoint, model: str, texts: Sequence[str], prefix: str, patience: Patience
) -> list["Vector"]:
    """Return the vectors; what the server finds too much is sent in halves.

    One text that is longer than the model reads is cut, as the models themselves do: its
    beginning says what it is about.
    """
    try:
        given = await endpoint.post(
            {"model": model, "input": [prefix + _sendable(text) for text in texts]}, patience
        )
    except TooMuch:
        if len(texts) > 1:
            half = len(texts) // 2
            return [
                *await _fitting(endpoint, model, texts[:half], prefix, patience),
                *await _fitting(endpoint, model, texts[half:], prefix, patience),
            ]
        shorter = _sendable(texts[0])[: min(len(texts[0]), _LONGEST) // 2]
        if len(shorter) < _SHORTEST:
            raise
        return await _fitting(endpoint, model, [shorter], prefix, patience)
    try:
        return await asyncio.to_thread(_read, given, len(texts))
    except ValueError as error:
        raise EndpointFailed(
            f"{endpoint.who} {error}: see that FOOTNOTE_EMBEDDER_MODEL is an embedding model."
        ) from error


def _sendable(text: str) -> str:
    """Return a text that JSON can carry; servers refuse an empty one."""
    readable = text[:_LONGEST].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return readable.strip() or "."


def _read(answer: Any, count: int) -> list["Vector"]:
    """Return the unit vectors of an answer in the order of the texts.

    Raises:
        ValueError: it isn't what was asked for; the message goes on after "The embedder".
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise ValueError("answers something that holds no embeddings")
    if len(data) != count:
        raise ValueError(f"gave {len(data)} vectors for {count} texts")
    if any("index" in item for item in data):
        places = {item.get("index"): item for item in data if type(item.get("index")) is int}
        if places.keys() != set(range(count)):
            raise ValueError("doesn't say which vector belongs to which text")
        data = [places[place] for place in range(count)]
    vectors = [_unit(item.get("embedding")) for item in data]
    if len({vector.size for vector in vectors}) > 1:
        raise ValueError("gave vectors of different sizes")
    return vectors


def _unit(given: Any) -> "Vector":
    try:
        if isinstance(given, str):
            numbers = np.frombuffer(base64.b64decode(given, validate=True), "<f4")
        else:
            numbers = np.asarray(given)
        vector = numbers.astype(np.float64)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("gave a vector of something else than numbers") from None
    if vector.ndim != 1 or not vector.size:
        raise ValueError("gave something else than one vector a text")
    length = np.linalg.norm(vector)
    # The distance to such a vector is no number: no search could ever find it.
    if not np.isfinite(length) or not length > 0:
        raise ValueError("gave a vector of zeros, or of no numbers")
    return (vector / length).astype(np.float32)
