"""The step log of a thread as the demo's page shows it: titles, notes and tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot import trace
from bot.playground import Message
from bot.steps import Step
from bot.trace import Names, Traced
from retrieval.documents import STAGES
from schema import Pool

__all__ = ["TraceSource", "shown"]

_COLUMNS = ["", "passage", "vector", "distance", "keyword", "fused", "rerank", "cited as"]

_STAGES = (*STAGES, "total")

type _Json = dict[str, Any]


class TraceSource:
    """Reads what the bot did for a thread of the stand-in."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __call__(self, thread: Sequence[Message]) -> Sequence[_Json]:
        """Return the thread's turns, oldest first."""
        async with self._pool.connection() as connection:
            found: dict[str, Traced] = {}
            for name in (thread[0].ts, *_turns_named(thread)):
                if name not in found:
                    for each in await trace.read(connection, name):
                        found[each.turn.id] = each
            names = await trace.names(connection, found.values())
        turns = sorted(found.values(), key=lambda each: each.turn.started_at)
        return [shown(each, names) for each in turns]


def shown(traced: Traced, names: Names) -> _Json:
    """Return a turn as the page takes it."""
    turn = traced.turn
    marks = {chunk: marker for (of, chunk), marker in names.markers.items() if of == turn.id}
    cited = [f"[{marker}] {names.titles.get(chunk, chunk)}" for chunk, marker in marks.items()]
    steps = [_step(each, names, marks) for each in traced.steps]
    if cited:
        steps.append({"title": "citations", "milliseconds": None, "notes": cited, "table": None})
    return {
        "title": " ".join(turn.question.split()),
        "outcome": turn.stop_reason or "running",
        "milliseconds": turn.milliseconds,
        "steps": steps,
    }


def _step(step: Step, names: Names, marks: Mapping[str, int]) -> _Json:
    table = None
    notes = [f"{key}: {_words(value)}" for key, value in step.data.items()]
    if step.kind == "search":
        notes = _search_notes(step.data)
        candidates: list[_Json] = step.data.get("candidates", [])
        rows = [_row(number, each, names, marks) for number, each in enumerate(candidates, start=1)]
        table = {"columns": _COLUMNS, "rows": rows}
    elif step.kind == "verdict":
        notes = [
            f"claim {number}: {', '.join(each['ids']) or 'uncited'}"
            + (f" ({', '.join(each['marks'])})" if each["marks"] else "")
            for number, each in enumerate(step.data.get("claims", []), start=1)
        ]
    elif step.kind == "context":
        timings: _Json = step.data.get("timings_ms", {})
        notes = ["side by side: " + " · ".join(f"{name} {ms:.1f}" for name, ms in timings.items())]
    elif step.kind == "answer":
        notes = [f"by {step.data.get('answerer')}, without a model"]
    title = step.kind
    if step.kind == "search":
        title = f"search by {step.data.get('by')}: “{step.data.get('query')}”"
    return {"title": title, "milliseconds": step.milliseconds, "notes": notes, "table": table}


def _search_notes(data: Mapping[str, Any]) -> list[str]:
    filters = [*data.get("services", []), *data.get("doc_types", [])]
    timings: _Json = data.get("timings_ms", {})
    stages = [f"{name} {timings[name]:.1f}" for name in sorted(timings, key=_stage)]
    best = data.get("best_distance")
    distance = "no distance" if best is None else f"best distance {best:.3f}"
    gate = "NO_MATCH" if data.get("no_match") else f"passed, {data.get('passages')} passages kept"
    return [
        f"filters: {', '.join(filters) or 'none'}",
        f"gate: {distance} → {gate}",
        f"milliseconds: {' · '.join(stages)}",
        *([f"degraded: {', '.join(data['degraded'])}"] if data.get("degraded") else []),
    ]


def _stage(name: str) -> int:
    """Return a stage's place in a search; the database keeps no order of names."""
    return _STAGES.index(name) if name in _STAGES else len(_STAGES)


def _row(number: int, found: _Json, names: Names, marks: Mapping[str, int]) -> _Json:
    chunk = found["chunk_id"]
    marker = marks.get(chunk)
    cells = [
        str(number),
        names.titles.get(chunk, chunk),
        _words(found.get("vector_rank")),
        _number(found.get("distance"), 3),
        _words(found.get("keyword_rank")),
        _number(found.get("rrf_score"), 4),
        _number(found.get("rerank_score"), 3),
        "" if marker is None else f"[{marker}]",
    ]
    return {"cells": cells, "marked": marker is not None}


def _turns_named(thread: Sequence[Message]) -> list[str]:
    """Return the ids of turns that the bot's messages carry: a command's has no thread before."""
    payloads = [(each.metadata or {}).get("event_payload") or {} for each in thread]
    return [str(each["turn"]) for each in payloads if "turn" in each]


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _words(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
