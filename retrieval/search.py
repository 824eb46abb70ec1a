"""The search: vectors beside keywords, fused by rank, gated, reranked, four kept."""

import asyncio
import logging
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from retrieval.confidence import confidence, in_doubt, signals_of
from retrieval.documents import Filters, Passage, SearchResult, Section, Signals
from retrieval.errors import EmbedderDown, RerankerDown, RetrievalError
from retrieval.gate import Gates, refuses_coverage, refuses_distance, refuses_value
from retrieval.placing import (
    best_coverage,
    best_distance,
    content,
    distinct,
    kept,
    nearest,
    placed,
    telling,
)
from retrieval.rerank import KeepOrder, Reranker
from retrieval.spelling import misspelt, respelled
from retrieval.tokens import query_tokens

if TYPE_CHECKING:
    from retrieval.calibration import InForce
    from retrieval.embedding import Embedder, Vector
    from retrieval.store import Hit, Store

__all__ = ["Search", "best_score", "judged"]

_LOG = logging.getLogger(__name__)

_EVERYTHING: Final = Filters()
_CANDIDATES: Final = 20
_READINGS: Final = 2  # what the words of one reading bring up may tell those of the next
_READ_CLOSELY: Final = 2  # passages whose tokens are compared with the question's: 18 ms each

# Each search places what the other one found too: the distance of any chunk is cheap, and the
# keywords' ranking is read so far down for its sake. A chunk that one search alone has then loses
# to one that both know. On SciFact's 1,109 queries nDCG@10 rose by .008, three standard errors.
_KEYWORD_PLACES: Final = 200

_LONGEST_SECTION: Final = 6_000  # characters

# No question is longer; a pasted log is, and its first pages say what it is about.
_LONGEST_QUERY: Final = 8_000

_EMBEDDER_DOWN: Final = (
    "The embedder is down, so this was found by keywords alone and may miss other wordings."
)
_RERANKER_DOWN: Final = (
    "The reranker is down or slow, so the order of the sources is rougher than usual."
)


@dataclass(slots=True)
class _Watch:
    """Milliseconds by stage."""

    started: float = field(default_factory=time.perf_counter)
    timings_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            took = (time.perf_counter() - begun) * 1_000
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + took

    def stopped(self) -> Mapping[str, float]:
        """Return all stages and, as `total`, the time since the watch was made."""
        return {**self.timings_ms, "total": (time.perf_counter() - self.started) * 1_000}


@dataclass(frozen=True, slots=True)
class _Near:
    """The question's vector and the nearest chunks; neither for a question without text."""

    vector: "Vector | None"
    hits: "Sequence[Hit]"


@dataclass(frozen=True, slots=True)
class _Found:
    """What both searches brought for a text: nearest first, and in the order of the fusion."""

    text: str
    by_distance: Sequence[Passage]
    best_distance: float | None
    candidates: Sequence[Passage]
    signals: Signals | None
    now: "InForce"
    by_keywords_alone: bool


class Search:
    """Answers "what do the documents say about this?" with passages, or with "nothing".

    The gates are those that were calibrated, else the defaults. With `max_distance`, the largest
    cosine distance of the nearest chunk that still counts as a match, it alone decides; it belongs
    to the embedder. With `reads_all`, passages are read token by token even where that decides
    nothing. It holds no state: searches can run side by side.
    """

    def __init__(
        self,
        store: "Store",
        embedder: "Embedder",
        *,
        reranker: Reranker | None = None,
        max_distance: float | None = None,
        reads_all: bool = False,
    ) -> None:
        self._store: Store = store
        self._embedder: Embedder = embedder
        self._reranker: Reranker = reranker or KeepOrder()
        self._max_distance: float | None = max_distance
        self._reads_all: bool = reads_all

    async def search(self, query: str, filters: Filters = _EVERYTHING) -> SearchResult:
        """Search with any text whatever.

        An embedder or reranker that is down is told in `degraded`, not raised.

        Raises:
            QueryFailed: the database is down, or refuses the query.
        """
        watch = _Watch()
        text = query.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
        found, mistyped = await self._read(text[:_LONGEST_QUERY].strip(), filters, watch)
        degraded: list[str] = []
        signals, best = found.signals, found.best_distance
        gates = found.now.gates if self._max_distance is None else Gates(self._max_distance)
        if found.by_keywords_alone:
            degraded.append(_EMBEDDER_DOWN)
            no_match = refuses_coverage(best_coverage(found.text, found.candidates))
        else:
            near_anyway = self._max_distance is None and signals is not None and signals.is_near
            no_match = not near_anyway and refuses_distance(best, gates.max_distance)

        with watch.stage("rerank"):
            try:
                ordered = await self._reranker.rerank(found.text, found.candidates)
            except RerankerDown as error:
                _LOG.warning("reranker_down", extra={"error": _cause(error)})
                ordered = found.candidates
                degraded.append(_RERANKER_DOWN)
        if signals is not None:
            signals = replace(signals, reranker=best_score(ordered))
            no_match = no_match or refuses_value(judged(signals, gates), gates.minimum)
        return SearchResult(
            query=query,
            filters=filters,
            passages=kept(distinct(ordered)),
            candidates=tuple(found.candidates),
            nearest=nearest(found.by_distance or ordered),
            best_distance=best,
            no_match=no_match,
            mistyped=mistyped,
            degraded=tuple(degraded),
            timings_ms=watch.stopped(),
            signals=signals,
            confidence=confidence(signals) if signals is not None else None,
            max_distance=gates.max_distance,
            min_confidence=gates.minimum if gates.judge == "confidence" else None,
        )

    async def section(self, chunk_id: str, filters: Filters = _EVERYTHING) -> Section | None:
        """Return what stands around a chunk; None when it can't be found with these filters.

        Raises:
            QueryFailed: the database is down, or refuses the query.
        """
        return await self._store.section(chunk_id, filters, longest=_LONGEST_SECTION)

    async def page(self, chunk_id: str, filters: Filters = _EVERYTHING) -> tuple[Passage, ...]:
        """Return the page that a chunk is of, or what is around the chunk in a long one, in order.

        Nothing when it can't be found with these filters.

        Raises:
            QueryFailed: the database is down, or refuses the query.
        """
        return await self._store.page(chunk_id, filters)

    async def _read(
        self, text: str, filters: Filters, watch: _Watch
    ) -> tuple[_Found, Mapping[str, str]]:
        """Find what a text says, or what it was meant to say if that is found more surely."""
        found, read = await self._find(text, filters, watch), dict[str, str]()
        for _ in range(_READINGS):
            if found.signals is None or found.signals.is_near:
                break
            mistyped = misspelt(found.text, map(content, found.candidates))
            if not mistyped:
                break
            meant = await self._find(respelled(found.text, mistyped), filters, watch)
            if meant.signals is None or confidence(meant.signals) <= confidence(found.signals):
                break
            found = meant
            read = {word: mistyped.get(as_, as_) for word, as_ in read.items()} | mistyped
        return found, read

    async def _find(self, text: str, filters: Filters, watch: _Watch) -> _Found:
        tokens = query_tokens(text)
        near, by_keyword, now = await self._both(text, tokens, filters, watch)
        hits = [*(near.hits if near else ()), *by_keyword[:_CANDIDATES]]
        with watch.stage("hydrate"):
            found = await self._store.passages(
                {hit.chunk_id for hit in hits}, near.vector if near else None
            )
        with watch.stage("fuse"):
            by_distance, fused = placed(found, {hit.chunk_id: hit.score for hit in by_keyword})
            candidates = fused[:_CANDIDATES]
            best = best_distance(by_distance)
            signals = None
            if near is not None and best is not None:
                signals = signals_of(text, tokens, candidates, best, now.chunks)
        if signals is not None and (self._reads_all or in_doubt(signals)):
            signals = replace(signals, maxsim=await self._maxsim(text, candidates, watch))
        return _Found(text, by_distance, best, candidates, signals, now, near is None)

    async def _maxsim(
        self, text: str, candidates: Sequence[Passage], watch: _Watch
    ) -> float | None:
        """Return how much of a question the passage says that says most, of the first."""
        first = [content(each) for each in telling(candidates)[:_READ_CLOSELY]]
        with watch.stage("maxsim"):
            try:
                found = await self._embedder.maxsim(text, first)
            except EmbedderDown as error:
                _LOG.warning("embedder_down", extra={"error": _cause(error)})
                return None
        return max(found) if found else None

    async def _both(
        self, text: str, tokens: Sequence[str], filters: Filters, watch: _Watch
    ) -> "tuple[_Near | None, list[Hit], InForce]":
        try:
            async with asyncio.TaskGroup() as group:
                near = group.create_task(self._by_vector(text, filters, watch))
                by_keyword = group.create_task(self._by_keyword(tokens, filters, watch))
                now = group.create_task(
                    self._store.in_force(self._embedder.name, self._reranker.name)
                )
        except* RetrievalError as errors:
            failure = errors.exceptions[0]
        else:
            return near.result(), by_keyword.result(), now.result()
        raise failure

    async def _by_vector(self, text: str, filters: Filters, watch: _Watch) -> "_Near | None":
        """Return the nearest chunks, or None when the embedder is down."""
        if not text:
            return _Near(None, ())
        with watch.stage("embed"):
            try:
                vector = await self._embedder.embed_query(text)
            except EmbedderDown as error:
                _LOG.warning("embedder_down", extra={"error": _cause(error)})
                return None
        # The distance to such a vector is no number; a model that gives one is broken.
        if not np.isfinite(vector).all() or not vector.any():
            _LOG.warning("embedder_down", extra={"error": "NoDirection"})
            return None
        with watch.stage("vector"):
            return _Near(vector, await self._store.search_vectors(vector, filters, _CANDIDATES))

    async def _by_keyword(
        self, tokens: Sequence[str], filters: Filters, watch: _Watch
    ) -> "list[Hit]":
        with watch.stage("keyword"):
            return await self._store.search_keywords(tokens, filters, _KEYWORD_PLACES)


def judged(signals: Signals, gates: Gates) -> float | None:
    """Return what the second gate looks at."""
    return signals.reranker if gates.judge == "reranker" else confidence(signals)


def best_score(passages: Sequence[Passage]) -> float | None:
    """Return the reranker's best score, None where it gave none."""
    scores = (each.rerank_score for each in passages if each.rerank_score is not None)
    return max(scores, default=None)


def _cause(error: RetrievalError) -> str:
    """Return the name of what is behind an error; its words may quote what was asked."""
    return type(error.__cause__ or error).__name__
