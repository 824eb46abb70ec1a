"""The step log of a turn: each search, model call, tool call, correction and verdict. Pure.

What is said stands in the session's log; a step holds queries, counts, ids and times.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.citations import Verdict
from bot.memory import Recalled
from bot.model import Completion
from bot.voice import Heard
from retrieval.documents import SearchResult

__all__ = [
    "ModelFailure",
    "Step",
    "StepKind",
    "answer_step",
    "context_step",
    "fallback_step",
    "heard_step",
    "memory_step",
    "model_failure_step",
    "model_step",
    "search_step",
    "tool_step",
    "verdict_step",
]

type ModelFailure = Literal["down", "refused", "overflow", "cut off"]
"""Why a model's call gave nothing; "cut off" by the turn's end."""

type StepKind = Literal[
    "search",
    "model",
    "tool",
    "correction",
    "verdict",
    "fallback",
    "answer",
    "context",
    "memory",
    "heard",
]


@dataclass(frozen=True, slots=True)
class Step:
    """One entry: what was done, for how long, and what it gave.

    `kind` is an open name in stored logs; what this version writes is a `StepKind`.
    """

    kind: str
    milliseconds: float | None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


def search_step(result: SearchResult, *, by: str) -> Step:
    """Return the entry of a search; `by` tells who made it: the question, or a tool's name."""
    timings = {stage: round(ms, 3) for stage, ms in result.timings_ms.items()}
    return _step(
        "search",
        timings.get("total"),
        by=by,
        query=result.query,
        services=list(result.filters.services),
        doc_types=list(result.filters.doc_types),
        no_match=result.no_match,
        best_distance=result.best_distance,
        confidence=round(result.confidence, 4) if result.confidence is not None else None,
        min_confidence=result.min_confidence,
        passages=len(result.passages),
        degraded=list(result.degraded),
        timings_ms=timings,
        candidates=[
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
    )


def context_step(timings_ms: Mapping[str, float]) -> Step:
    """Return the entry of what came together before the answer, with the times of its parts."""
    return _step("context", timings_ms.get("total"), timings_ms=dict(timings_ms))


def memory_step(recalled: Recalled) -> Step:
    """Return the entry of what was recalled: which memories, never what they say."""
    return _step(
        "memory",
        recalled.milliseconds,
        how=recalled.how,
        memories=[each.id for each in recalled.memories],
    )


def heard_step(heard: Heard) -> Step:
    """Return the entry of listening to audio clips: by whom, and how much was said, not what."""
    given = {"problem": heard.problem} if heard.problem else {"characters": len(heard.words)}
    return _step("heard", heard.milliseconds, by=heard.by or "nobody", **given)


def model_step(completion: Completion, *, tools: bool) -> Step:
    """Return the entry of a model's call that gave something."""
    return _step(
        "model",
        completion.milliseconds,
        server=completion.server,
        model=completion.model,
        prompt_tokens=completion.usage.prompt_tokens,
        completion_tokens=completion.usage.completion_tokens,
        estimated=completion.usage.estimated,
        first_token_ms=completion.first_token_ms,
        finish=completion.finish,
        tools_offered=tools,
        calls=[each.name for each in completion.calls],
    )


def model_failure_step(failure: ModelFailure, milliseconds: float, *, tools: bool) -> Step:
    """Return the entry of a model's call that gave nothing."""
    return _step("model", milliseconds, failure=failure, tools_offered=tools)


def tool_step(name: str, milliseconds: float, result: str, **more: Any) -> Step:
    """Return the entry of a tool's call; `result` is one word, such as `ok` or `repeated`."""
    return _step("tool", milliseconds, tool=name, result=result, **more)


def verdict_step(verdict: Verdict, milliseconds: float) -> Step:
    """Return the entry of a citation check: each claim by its ids and marks, without its words."""
    return _step(
        "verdict",
        milliseconds,
        cited=verdict.cited,
        says_no_match=verdict.says_no_match,
        problems=list(verdict.problems),
        unknown_ids=len(verdict.unknown),
        claims=[
            {"ids": list(each.ids), "marks": [mark.kind for mark in each.marks]}
            for each in verdict.claims
        ],
    )


def fallback_step(reason: str) -> Step:
    """Return the entry that says why the model's own answer isn't used."""
    return _step("fallback", None, reason=reason)


def answer_step(answerer: str, milliseconds: float, stop_reason: str, chunks: list[str]) -> Step:
    """Return the entry of an answer made without a model."""
    return _step("answer", milliseconds, answerer=answerer, stop_reason=stop_reason, cited=chunks)


def _step(kind: StepKind, milliseconds: float | None, **data: Any) -> Step:
    return Step(kind, None if milliseconds is None else round(milliseconds, 3), data)
