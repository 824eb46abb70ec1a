"""The agent: a question and its thread → passages → answer → citation check → Outcome.

It knows neither Slack nor SQL. Whoever answers, a model or the extractive answerer, only claims
that point to a passage of this turn are shown; else the closest chunks are.
"""

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bot.citations import Sources, Verdict, check, without_uncited
from bot.gathering import Load, Recalling, Thread, gather
from bot.lookup import holding
from bot.memory import NOTHING, Recalled
from bot.memory.veil import Veil
from bot.outcome import Citation, Outcome, StopReason
from bot.pages import read_on
from bot.question import Question
from bot.reasoner import Asked, Draft, Progress, Reasoner, silent
from bot.record import Record
from bot.sections import at_its_section
from bot.steps import Step, answer_step, context_step, fallback_step, memory_step
from bot.window import Entry
from retrieval.documents import Filters, Passage, SearchResult
from retrieval.search import Search
from retrieval.spelling import respelled

__all__ = ["Agent", "Answered", "Answerer", "Thread"]

_FALLBACK = {
    "down": "The chat model doesn't answer; these are extracts.",
    "refused": "The chat model refuses to answer; these are extracts.",
    "filtered": "The chat model refuses to answer; these are extracts.",
    "overflow": "This was too long for the chat model; these are extracts.",
    "budget": "The chat model took too long; these are extracts.",
}


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
class Answered:
    """What a question came to, the steps that led there, and what was said between.

    `events` are those between the question and its answer: tool calls and results, a correction.
    """

    outcome: Outcome
    steps: tuple[Step, ...] = ()
    events: tuple[Entry, ...] = ()


class Agent:
    """Answers one question at a time; holds no state between them.

    Without a `reasoner` the answerer quotes what the first search found.
    """

    def __init__(
        self, search: Search, answerer: Answerer, reasoner: Reasoner | None = None
    ) -> None:
        self._search: Search = search
        self._answerer: Answerer = answerer
        self._reasoner: Reasoner | None = reasoner

    def quoting(self) -> "Agent":
        """Return one that asks no model: what it finds is there at once."""
        return Agent(self._search, self._answerer)

    async def answer(  # noqa: PLR0913  # four of them by name, and each may be left out
        self,
        question: Question,
        thread: Thread,
        *,
        load: Load | None = None,
        recall: Recalling | None = None,
        progress: Progress = silent,
        steps: list[Step] | None = None,
    ) -> Answered:
        """Answer a question.

        Args:
            question: what is asked, and the filters in its words.
            thread: where, and by whom; whole, unless there is a `load`.
            load: gives the thread whole, while the first search runs.
            recall: gives what the asker told that may matter, beside them.
            progress: is told what is being done.
            steps: gets each step as it is done, for when the work ends before its answer.

        Raises:
            RetrievalError: the database is down; nothing is lost by asking again.
        """
        began = time.perf_counter()
        if not question.text:
            return Answered(Outcome(stop_reason="no_match"))
        record = Record(
            self._search,
            Sources(secrets.token_hex(8)),
            steps if steps is not None else [],
            asked=question.text,
        )
        filters = Filters(
            services=question.services,
            doc_types=question.doc_types,
            team=thread.team,
            audience=thread.channel,
        )
        await progress("Searching runbooks…")

        async def search(words: str) -> SearchResult:
            return await record.searched(words, filters, by="question")

        async def given() -> Thread:
            return thread

        gathered = await gather(question.text, load or given, recall or _nothing, search)
        thread, first = gathered.thread, gathered.first
        words, own = (respelled(each, first.mistyped) for each in (gathered.words, question.text))
        told = thread.memories
        shown = [each.text for each in first.passages]
        record.veil = Veil(told.memories, [question.text, words, *shown])
        if recall is not None:
            record.steps[:0] = [context_step(gathered.timings_ms), memory_step(told)]
        found = () if first.no_match else first.passages
        await progress(f"Reading {len(found)} chunks…" if found else "Searching runbooks…", found)
        if self._reasoner is None:
            # What only matters most is for whoever can tell whether it matters here.
            told = told if told.how == "meaning" and not first.no_match else NOTHING
            if told.memories:
                first = await record.widened(first, told)
            outcome = await self._extracts(record, words, own)
        else:
            asked = Asked(question.text, thread.window, found, filters, thread.asker, told.memories)
            draft = await self._reasoner.answer(asked, record, progress)
            outcome = await self._settled(draft, record, words, own)
        used = len(told.memories) if self._reasoner is None or outcome.model else 0
        outcome = replace(outcome, memories=used)
        timings = {**first.timings_ms, "total": _ms_since(began)}
        answered = [each.milliseconds for each in record.steps if each.kind == "answer"]
        if answered and answered[0] is not None:
            timings["answer"] = answered[0]
        passages = [each.text for result in record.results for each in result.passages]
        veil = Veil(told.memories, [question.text, words, *passages])
        return Answered(
            veil.outcome(replace(outcome, timings_ms=timings)),
            tuple(record.steps),
            veil.events(record.events),
        )

    async def _settled(self, draft: Draft, record: Record, words: str, focus: str) -> Outcome:
        """Return what a model's draft comes to."""
        outcome = record.outcome()
        verdict = draft.verdict
        if verdict is not None and (not record.sources.ids or verdict.says_no_match):
            return replace(outcome, stop_reason="no_match")
        if verdict is not None and (draft.failure is None or verdict.citations):
            shown, removed = without_uncited(verdict)
            if shown.cited:
                return _cited(outcome, shown, record.sources, removed)
            if draft.failure is None:
                return replace(outcome, stop_reason="uncited")
        failure = draft.failure or "down"
        record.steps.append(fallback_step(failure))
        extracts = await self._extracts(record, words, focus)
        if extracts.stop_reason == "uncited" and failure == "budget":
            extracts = replace(extracts, stop_reason="budget")
        label = _FALLBACK[failure]
        if extracts.stop_reason != "cited":
            label = label.partition(";")[0] + "."
        return replace(extracts, notes=(label, *extracts.notes))

    async def _extracts(self, record: Record, words: str, focus: str) -> Outcome:
        """Quote what was found, when a search passed; else it is no match."""
        outcome = record.outcome()
        passages = record.passages
        if not passages:
            return outcome
        began = time.perf_counter()
        rows = await asyncio.to_thread(holding, focus or words, record.candidates)
        passages = await read_on(self._search, passages, record.results[0].filters, rows)
        ids = record.sources.add_all(passages)
        text = await self._answerer.answer(words, passages, ids, focus)
        verdict = check(text, record.sources)
        stop: StopReason = "cited" if verdict.cited else "uncited"
        outcome = (
            _cited(outcome, verdict, record.sources)
            if verdict.cited
            else replace(outcome, stop_reason=stop)
        )
        chunks = [each.passage.chunk_id for each in outcome.citations]
        name = type(self._answerer).__name__
        record.steps.append(answer_step(name, _ms_since(began), stop, chunks))
        return outcome


async def _nothing(_words: str) -> Recalled:
    return NOTHING


def _cited(outcome: Outcome, verdict: Verdict, sources: Sources, removed: int = 0) -> Outcome:
    found = [
        (marker, sources.get(name), [each for each in verdict.claims if name in each.ids])
        for marker, name in verdict.citations
    ]
    return replace(
        outcome,
        stop_reason="cited",
        answer=verdict.answer.strip("\n"),
        citations=tuple(
            Citation(marker, at_its_section(passage, claims))
            for marker, passage, claims in found
            if passage
        ),
        removed=removed,
    )


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
