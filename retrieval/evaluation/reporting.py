"""The report of a measurement as plain data, which tables and plots are made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from retrieval.documents import STAGES
from retrieval.evaluation.calibrating import curves, halves, operating_points, outcome
from retrieval.evaluation.measures import MEASURES, difference, figure, per_case
from retrieval.evaluation.measuring import Bench, Measured
from retrieval.gate import Gates

__all__ = ["report_of"]

SEARCHES: Final = ("vector", "keyword", "fused", "reranked")
_ENOUGH: Final = 60
_KEPT: Final = 4
_NOWHERE: Final = 1_000_000
_SCRIPTED: Final = "scripted"


def report_of(
    bench: Bench, measured: Sequence[Measured], gates: Gates, *, follow_ups: int, documents: int
) -> dict[str, Any]:
    """Return all that a measurement says. It takes a second, so it belongs in a thread."""
    answerable = [each for each in measured if each.case.files]
    others = len(measured) - len(answerable)
    return {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "engine": bench.engine.name,
        "embedder": bench.embedder.name,
        "reranker": bench.reranker.name if bench.reranks else None,
        "documents": documents,
        "cases": {"answerable": len(answerable), "others": others, "follow_ups": follow_ups},
        "notes": _notes(bench, len(answerable), others, follow_ups),
        **_quality(answerable),
        "timings_ms": _timings(measured),
        "missed": [_missed(each) for each in answerable if _place(each) > _KEPT],
        "gate": _gate(measured, gates) if any(each.left_out for each in measured) else None,
    }


def _quality(answerable: Sequence[Measured]) -> dict[str, Any]:
    if not answerable:
        return {"searches": [], "differences": [], "services": [], "kinds": []}
    relevant = {each.case.id: each.case.files for each in answerable}
    names = [name for name in SEARCHES if name in answerable[0].rankings]
    by_search = {
        name: per_case({each.case.id: each.rankings[name] for each in answerable}, relevant)
        for name in names
    }
    best = by_search[names[-1]]

    def grouped(label: Callable[[Measured], str | None]) -> list[dict[str, Any]]:
        groups: dict[str, list[int]] = {}
        for place, each in enumerate(answerable):
            groups.setdefault(label(each) or "(none)", []).append(place)
        return [
            {
                "name": name,
                "cases": len(places),
                **{measure: asdict(figure(best[measure][places])) for measure in MEASURES},
            }
            for name, places in sorted(groups.items())
        ]

    pairs = [("fused", "vector"), ("fused", "keyword"), ("reranked", "fused")]
    return {
        "searches": [
            {"name": name, **{m: asdict(figure(found[m])) for m in MEASURES}}
            for name, found in by_search.items()
        ],
        "differences": [
            _difference(one, other, measure, by_search)
            for one, other in pairs
            if one in by_search
            for measure in ("nDCG@10", "hit@4")
        ],
        "services": grouped(lambda each: each.service),
        "kinds": grouped(lambda each: each.case.kind) if _has_kinds(answerable) else [],
    }


def _difference(
    one: str, other: str, measure: str, by_search: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    found = difference(by_search[one][measure], by_search[other][measure])
    noise = found.low <= 0 <= found.high
    return {"of": one, "over": other, "measure": measure, **asdict(found), "noise": noise}


def _has_kinds(answerable: Sequence[Measured]) -> bool:
    return any(each.case.kind for each in answerable)


def _timings(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for stage in (*STAGES, "total"):
        took = [each.timings_ms[stage] for each in measured if stage in each.timings_ms]
        if took:
            p50, p95 = np.percentile(took, [50, 95])
            found.append({"stage": stage, "p50": round(p50, 2), "p95": round(p95, 2)})
    return found


def _gate(measured: Sequence[Measured], gates: Gates) -> dict[str, Any]:
    both = halves(measured)
    return {
        "halves": {
            name: {
                "answerable": len(half.answerable),
                "written": len(half.written),
                "left-out": len(half.left_out),
            }
            for name, half in both.items()
        },
        "in_force": asdict(gates),
        "outcome": {name: outcome(half, gates) for name, half in both.items()},
        "curves": curves(both),
        "operating_points": operating_points(both),
    }


def _place(measured: Measured) -> int:
    """Return where the first answering document is, from 1; behind all when nowhere."""
    ranked = _last(measured)
    places = [ranked.index(each) + 1 for each in measured.case.files if each in ranked]
    return min(places, default=_NOWHERE)


def _last(measured: Measured) -> tuple[str, ...]:
    return measured.rankings.get("reranked", measured.rankings["fused"])


def _missed(measured: Measured) -> dict[str, Any]:
    place = _place(measured)
    return {
        "question": measured.case.question,
        "files": list(measured.case.files),
        "found": list(_last(measured)[:_KEPT]),
        "place": place if place < _NOWHERE else None,
    }


def _notes(bench: Bench, answerable: int, others: int, follow_ups: int) -> list[str]:
    notes: list[str] = []
    if not bench.reranks:
        notes.append("No reranker is set, so its gain was not measured here.")
    elif bench.reranker.name.startswith(_SCRIPTED):
        notes.append("The reranker follows a script: it proves the plumbing, and no gain.")
    if answerable < _ENOUGH:
        notes.append(f"{answerable} answerable questions prove little: {_ENOUGH} say more.")
    if 0 < others < _ENOUGH:
        notes.append(f"{others} questions that nothing answers prove little: {_ENOUGH} say more.")
    if follow_ups:
        notes.append(f"{follow_ups} follow-ups were left out: single questions are measured.")
    return notes
