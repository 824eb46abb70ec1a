"""Rerankers over REST, in the two shapes there are.

`tei`: text-embeddings-inference, `POST /rerank {query, texts}` → `[{index, score}]`.
`jina`: Jina, Cohere, Infinity, vLLM, llama.cpp, LiteLLM, `POST /v1/rerank {model, query,
documents, top_n}` → `{results: [{index, relevance_score}]}`.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from retrieval.documents import Passage
from retrieval.endpoint import Endpoint, EndpointFailed, Patience, TooMuch, open_endpoint
from retrieval.errors import RerankerDown
from retrieval.resting import Rests

__all__ = ["HttpReranker", "RerankShape", "RerankingServer", "http_reranker"]

type RerankShape = Literal["tei", "jina"]

_PATHS: Final[Mapping[RerankShape, str]] = {"tei": "/rerank", "jina": "/v1/rerank"}
_ATTEMPTS: Final = 2
# Cross-encoders read 512 tokens of question and passage together, some more; the passage
# has to find room beside a pasted log.
_LONGEST_QUERY: Final = 1_000
_CUTS: Final = (900, 400)  # characters; one text that is too long fails the whole request


@dataclass(frozen=True, slots=True)
class RerankingServer:
    """Where the reranker is. `timeout` is the seconds that a search waits for it."""

    url: str
    shape: RerankShape = "jina"
    model: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 2.0


class HttpReranker:
    """A `Reranker` over HTTP, made by `http_reranker`."""

    def __init__(self, server: RerankingServer, endpoint: Endpoint) -> None:
        self._server: RerankingServer = server
        self._endpoint: Endpoint = endpoint
        self._rests: Rests = Rests(endpoint.who, server.timeout / 2)

    @property
    def name(self) -> str:
        """The model's name, else where it is."""
        return self._server.model or self._endpoint.place

    async def rerank(self, query: str, passages: Sequence[Passage]) -> list[Passage]:
        """Return the same passages with their `rerank_score`, best first; ties keep their order.

        Passages that the server leaves out have no score and come last, as they were. Scores
        are the server's own, logits or probabilities: comparable within one search.

        Raises:
            RerankerDown: it doesn't answer within the timeout, or not what can be used, or it
                rests from having kept a search waiting.
        """
        if not passages:
            return []
        texts = [_text(each) for each in passages]
        try:
            with self._rests.asking():
                async with asyncio.timeout(self._server.timeout):
                    answer = await self._ask(_sendable(query)[:_LONGEST_QUERY], texts)
        except EndpointFailed as error:
            raise RerankerDown(str(error)) from error
        except TimeoutError as error:
            raise RerankerDown(
                f"{self._endpoint.who} took longer than {self._server.timeout:g} s."
            ) from error
        try:
            scores = _scores(answer, len(passages))
        except ValueError as error:
            raise RerankerDown(
                f"{self._endpoint.who} {error}: see that FOOTNOTE_RERANKER_SHAPE and "
                "FOOTNOTE_RERANKER_MODEL are right."
            ) from error
        scored = [replace(passages[place], rerank_score=score) for place, score in scores.items()]
        left_out = [each for place, each in enumerate(passages) if place not in scores]
        return scored + left_out

    async def _ask(self, query: str, texts: list[str]) -> Any:
        """Ask, and ask again for the beginnings of texts when the whole ones are too long."""
        patience = Patience(self._server.timeout, _ATTEMPTS)
        for longest in _CUTS:
            try:
                return await self._endpoint.post(self._body(query, texts), patience)
            except TooMuch:
                texts = [text[:longest] for text in texts]
                query = query[:longest]
        return await self._endpoint.post(self._body(query, texts), patience)

    def _body(self, query: str, texts: list[str]) -> dict[str, Any]:
        if self._server.shape == "tei":
            return {"query": query, "texts": texts, "truncate": True}
        model = {"model": self._server.model} if self._server.model else {}
        return {**model, "query": query, "documents": texts, "top_n": len(texts)}


@asynccontextmanager
async def http_reranker(server: RerankingServer) -> AsyncGenerator[HttpReranker]:
    """Open a reranker; it is asked nothing before the first search."""
    async with open_endpoint(
        server.url,
        _PATHS[server.shape],
        api_key=server.api_key,
        who="The reranker",
        variables="FOOTNOTE_RERANKER",
    ) as endpoint:
        yield HttpReranker(server, endpoint)


def _text(passage: Passage) -> str:
    """Return what the reranker reads: as the embedder, the breadcrumb and the text."""
    return _sendable(f"{passage.context}\n{passage.text}" if passage.context else passage.text)


def _sendable(text: str) -> str:
    readable = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return readable.strip() or "."


def _scores(answer: Any, count: int) -> dict[int, float]:
    """Return scores by place in the request, best first, equal ones in the request's order.

    Raises:
        ValueError: a score is for nothing that was sent, twice for one, or no number; the
            message goes on after "The reranker".
    """
    items = answer
    if isinstance(answer, dict):
        items = answer.get("results", answer.get("data"))
    if not isinstance(items, list) or not items:
        raise ValueError("answers something that holds no scores")
    scores: dict[int, float] = {}
    for item in items:
        place, score = _score(item)
        if not 0 <= place < count or place in scores:
            raise ValueError("scores a passage that wasn't sent, or one twice")
        scores[place] = score
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))


def _score(item: Any) -> tuple[int, float]:
    fields: Mapping[str, Any] = item if isinstance(item, dict) else {}
    place = fields.get("index")
    score = fields.get("relevance_score", fields.get("score"))
    number = float(score) if isinstance(score, (int, float)) else math.nan
    if type(place) is not int or not math.isfinite(number):
        raise ValueError("gave a score that is no number, or for no passage")
    return place, number
