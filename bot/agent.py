"""The agent: a question and its thread → passages → answer → citation check → Outcome.

It knows neither Slack nor SQL. Whatever an answerer returns, only an answer whose every claim
points to a passage of this turn is shown; else the closest chunks are.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot.citations import Sources, check
from bot.outcome import Citation, Outcome, Searched
from bot.question import Question, in_thread
from bot.window import EMPTY, Window
from retrieval.documents import Filters, Passage, SearchResult
from retrieval.search import Search

_EMPTY = (
    "There are no documents to search here yet (or none of this service and type):"
    " `footnote ingest FOLDER` adds some."
)

__all__ = ["Agent", "Answerer", "Step", "Thread"]


class Answerer(Protocol):
    """Turns passages into an answer."""

    async def answer(
        self, question: str, passages: Sequence[Passage], ids: Sequence[str], focus: str = ""
    ) -> str:
        """Return Markdown in which each claim carries the id of its passage in brackets.

        `question` holds the thread's topic, too, when the message alone (`focus`) says too little.
        """
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the step log: what was done, for how long, and what it gave."""

    kind: str
    milliseconds: float | None
    data: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Thread:
    """What the agent knows of the thread: who may see what, and what was asked before.

    `earlier` are the questions of the window without their filters, oldest first.
    """

    team: str | None = None
    channel: str | None = None
    earlier: tuple[str, ...] = ()
    window: Window = EMPTY


class Agent:
    """Answers one question at a time; holds no state between them."""

    def __init__(self, search: Search, answerer: Answerer) -> None:
        self._search = search
        self._answerer = answerer

    async def answer(self, question: Question, thread: Thread) -> tuple[Outcome, list[Step]]:
        """Return what the question came to, and the steps that led there."""
        began = time.perf_counter()
        if not question.text:
            return Outcome(stop_reason="no_match"), []
        words = in_thread(question.text, thread.earlier)
        result = await self._search.search(
            words,
            Filters(
                services=question.services,
                doc_types=question.doc_types,
                team=thread.team,
                audience=thread.channel,
            ),
        )
        steps = [_search_step(result)]
        outcome = Outcome(
            stop_reason="no_match",
            passages=result.passages,
            nearest=result.nearest,
            searched=(Searched(words, question.services, question.doc_types),),
            best_distance=result.best_distance,
            notes=result.degraded if result.candidates else (*result.degraded, _EMPTY),
        )
        timings = dict(result.timings_ms)
        if not result.no_match and result.passages:
            started = time.perf_counter()
            outcome = await self._cited(words, question.text, outcome)
            timings["answer"] = _ms_since(started)
            steps.append(
                Step(
                    "answer",
                    timings["answer"],
                    {
                        "answerer": type(self._answerer).__name__,
                        "stop_reason": outcome.stop_reason,
                        "cited": [c.passage.chunk_id for c in outcome.citations],
                    },
                )
            )
        timings["total"] = _ms_since(began)
        return replace(outcome, timings_ms=timings), steps

    async def _cited(self, words: str, focus: str, found: Outcome) -> Outcome:
        sources = Sources(secrets.token_hex(8))
        ids = sources.add_all(found.passages)
        by_id = dict(zip(ids, found.passages, strict=True))
        verdict = check(
            await self._answerer.answer(words, found.passages, ids, focus),
            sources,
        )
        if not verdict.cited:
            return replace(found, stop_reason="uncited")
        return replace(
            found,
            stop_reason="cited",
            answer=verdict.answer.strip("\n"),
            citations=tuple(Citation(marker, by_id[name]) for marker, name in verdict.citations),
        )


def _search_step(result: SearchResult) -> Step:
    return Step(
        "search",
        result.timings_ms.get("total"),
        {
            "query": result.query,
            "services": list(result.filters.services),
            "doc_types": list(result.filters.doc_types),
            "no_match": result.no_match,
            "best_distance": result.best_distance,
            "degraded": list(result.degraded),
            "timings_ms": dict(result.timings_ms),
            "candidates": [
                {
                    "chunk_id": each.chunk_id,
                    "vector_rank": each.vector_rank,
                    "distance": each.distance,
                    "keyword_rank": each.keyword_rank,
                    "rrf_score": each.rrf_score,
                    "rerank_score": each.rerank_score,
                }
                for each in result.candidates
            ],
        },
    )


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
