"""Asking every case, and noting what each search ranked, how long it took, what the gates saw."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from retrieval.documents import Filters, Passage, SearchResult, Signals
from retrieval.errors import EmbedderDown
from retrieval.evaluation.cases import BadCases, Case
from retrieval.evaluation.leaving_out import Corpus, LeavingOut, gathered, read_corpus
from retrieval.rerank import KeepOrder, Reranker
from retrieval.search import Search, best_score
from retrieval.store import Store
from retrieval.tokens import query_tokens

if TYPE_CHECKING:
    from retrieval.embedding import Embedder
    from schema.database import Pool
    from schema.engines import Engine

__all__ = ["Bench", "Measured", "measure"]

type Progress = Callable[[int, int], None]

_EVERYTHING: Final = Filters()


@dataclass(frozen=True, slots=True)
class Bench:
    """What is measured: a corpus, its embedder, and the reranker if there is one."""

    pool: "Pool"
    engine: "Engine"
    embedder: "Embedder"
    reranker: Reranker

    @property
    def reranks(self) -> bool:
        """Whether there is a reranker at all."""
        return not isinstance(self.reranker, KeepOrder)


@dataclass(frozen=True, slots=True)
class Measured:
    """One case, asked.

    `rankings` has documents by their best chunk, best first, of each search. `signals` is what
    the gates see; `left_out` the same without the documents that answer and their near-twins,
    None for a case that nothing answers. Signals are None when nothing at all was found.
    """

    case: Case
    service: str | None
    rankings: Mapping[str, tuple[str, ...]]
    timings_ms: Mapping[str, float]
    signals: Signals | None
    left_out: Signals | None = None


async def measure(
    bench: Bench, cases: Sequence[Case], *, left_out: bool, progress: Progress
) -> list[Measured]:
    """Ask all cases, one after the other, so that times are those of a search alone.

    Raises:
        BadCases: a case names a document that isn't stored.
        EmbedderDown, RerankerDown: one doesn't answer, and figures without it would mislead.
        QueryFailed: the database is down.
    """
    corpus = await asyncio.to_thread(gathered, await read_corpus(bench.pool))
    _refuse_unknown(cases, corpus)
    twins: dict[str, frozenset[str]] = {}
    if left_out:
        twins = await asyncio.to_thread(
            lambda: {case.id: corpus.with_twins(case.files) for case in cases if case.files}
        )
    found: list[Measured] = []
    for done, case in enumerate(cases, start=1):
        measured = await _ask(bench, case, corpus)
        if case.id in twins:
            gone = [chunk for source in twins[case.id] for chunk in corpus.chunks[source]]
            store = LeavingOut(bench.pool, bench.engine, gone)
            seen = await _search(bench, store, case.question)
            _, signals, _ = await _reranked(bench, case.question, seen)
            measured = replace(measured, left_out=signals)
        found.append(measured)
        progress(done, len(cases))
    return found


async def _ask(bench: Bench, case: Case, corpus: Corpus) -> Measured:
    store = Store(bench.pool, bench.engine)
    vector = await bench.embedder.embed_query(case.question)
    near = await store.search_vectors(vector, _EVERYTHING)
    matching = await store.search_keywords(query_tokens(case.question), _EVERYTHING)
    of = {
        key: each.source
        for key, each in (
            await store.passages({hit.chunk_id for hit in [*near, *matching]})
        ).items()
    }
    result = await _search(bench, store, case.question)
    ordered, signals, took = await _reranked(bench, case.question, result)
    rankings = {
        "vector": _documents(of[hit.chunk_id] for hit in near if hit.chunk_id in of),
        "keyword": _documents(of[hit.chunk_id] for hit in matching if hit.chunk_id in of),
        "fused": _documents(each.source for each in result.candidates),
    }
    timings = dict(result.timings_ms)
    if bench.reranks:
        rankings["reranked"] = _documents(each.source for each in ordered)
        timings = {**timings, "rerank": took, "total": timings["total"] + took}
    else:
        del timings["rerank"]
    service = case.service or next((corpus.services[each] for each in case.files), None)
    return Measured(case, service, rankings, timings, signals)


async def _search(bench: Bench, store: Store, question: str) -> SearchResult:
    search = Search(store, bench.embedder, max_distance=2.0, reads_all=True)
    result = await search.search(question)
    if result.degraded:
        raise EmbedderDown("The embedder stopped answering: figures without it would mislead.")
    return result


async def _reranked(
    bench: Bench, question: str, result: SearchResult
) -> tuple[list[Passage], Signals | None, float]:
    began = time.perf_counter()
    ordered = await bench.reranker.rerank(question, result.candidates)
    took = (time.perf_counter() - began) * 1_000
    signals = result.signals
    if signals is not None:
        signals = replace(signals, reranker=best_score(ordered))
    return ordered, signals, took


def _documents(sources: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sources))


def _refuse_unknown(cases: Sequence[Case], corpus: Corpus) -> None:
    for case in cases:
        for source in case.files:
            if source in corpus.chunks:
                continue
            near = get_close_matches(source, corpus.chunks, n=1, cutoff=0.4)
            hint = f" Is it {near[0]}?" if near else ""
            raise BadCases(
                f"“{case.question[:60]}” names {source}, which isn't stored (or only for one "
                f"channel).{hint} `footnote documents list` has the names."
            )
