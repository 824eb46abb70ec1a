"""From measured cases to a threshold: chosen on one half of them, judged on the other. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, isfinite
from typing import Any, Final, Literal

from retrieval.confidence import confidence
from retrieval.documents import Signals
from retrieval.evaluation.cases import BadCases
from retrieval.evaluation.curves import auroc, most_coverage, rates, risk_coverage, youden
from retrieval.evaluation.measuring import Measured
from retrieval.gate import Gates, Judge, refuses_distance

__all__ = [
    "Against",
    "Half",
    "Rule",
    "choose",
    "curves",
    "halves",
    "operating_points",
    "outcome",
    "passes",
]

type Against = Literal["written", "left-out"]

_FEWEST: Final = 5
_SLACK: Final = 0.15
_FARTHEST: Final = 2.0
_LESS_IS_BETTER: Final = frozenset({"distance", "unnamed"})


@dataclass(frozen=True, slots=True)
class Rule:
    """False answers to one kind of unanswerable questions at most `limit`, then most coverage."""

    against: Against = "written"
    limit: float = 0.05
    judge: Judge = "confidence"


@dataclass(frozen=True, slots=True)
class Half:
    """The signals of a half's questions; None where a search found nothing."""

    answerable: tuple[Signals | None, ...]
    written: tuple[Signals | None, ...]
    left_out: tuple[Signals | None, ...]

    def others(self, against: Against) -> tuple[Signals | None, ...]:
        """Return the unanswerable ones of a kind."""
        return self.written if against == "written" else self.left_out


def halves(measured: Sequence[Measured]) -> dict[str, Half]:
    """Split cases by a hash of their question, so that a case stays in its half as others come.

    A question with its documents left out is in the half of the question.
    """
    return {
        name: _half([each for each in measured if _is_test(each) == test])
        for name, test in (("calibration", False), ("test", True))
    }


def choose(half: Half, rule: Rule) -> Gates:
    """Return the gates that a rule gives on a half.

    The distance gate refuses only what is farther than every answerable question, and some more:
    a threshold on distance that decides by itself costs more answers than the other gate does.

    Raises:
        BadCases: there are too few cases of a kind, or no reranker's scores.
    """
    others = half.others(rule.against)
    if min(len(half.answerable), len(others)) < _FEWEST:
        raise BadCases(
            f"A threshold needs at least {_FEWEST} answerable questions and {_FEWEST} of the kind "
            f"“{rule.against}” in the half it is chosen on, and there are {len(half.answerable)} "
            f"and {len(others)}: write more (60 of each prove something)."
        )
    mine = values(rule.judge, half.answerable)
    if max(mine) == -inf:
        raise BadCases("No reranker gave a score: set one, or calibrate by confidence.")
    point = most_coverage(mine, values(rule.judge, others), rule.limit)
    distances = [each.distance for each in half.answerable if each is not None]
    farthest = min(_FARTHEST, round(max(distances) + _SLACK, 3))
    return Gates(farthest, round(point.threshold, 4), rule.judge)


def passes(signals: Signals | None, gates: Gates) -> bool:
    """Say whether gates let a question through."""
    if signals is None:
        return False
    if not signals.is_near and refuses_distance(signals.distance, gates.max_distance):
        return False
    return gates.minimum is None or value_of(gates.judge, signals) >= gates.minimum


def values(signal: str, found: Sequence[Signals | None]) -> list[float]:
    """Return a signal of each question, more being better; the least where nothing was found."""
    return [-inf if each is None else value_of(signal, each) for each in found]


def value_of(signal: str, signals: Signals) -> float:
    """Return one signal, turned so that more is better."""
    if signal == "confidence":
        return confidence(signals)
    found: float | None = getattr(signals, signal)
    if found is None:
        return -inf
    return -found if signal in _LESS_IS_BETTER else found


def signal_names(both: Mapping[str, Half]) -> list[str]:
    """Return the signals there are, the combination first."""
    known = [each for half in both.values() for each in half.answerable if each is not None]
    names = ["confidence", "distance", "strength", "coverage", "distance_lead"]
    names += ["title", "unnamed", "words"]
    sometimes = ("maxsim", "reranker")
    return names + [
        name for name in sometimes if any(getattr(each, name) is not None for each in known)
    ]


def curves(both: Mapping[str, Half]) -> list[dict[str, Any]]:
    """Return for each signal, half and kind its AUROC and the points of its curve."""
    return [
        {
            "signal": name,
            "half": half_name,
            "against": against,
            "auroc": _number(auroc(values(name, half.answerable), values(name, others))),
            "points": [
                [round(point.coverage, 4), round(point.false_answers, 4)]
                for point in risk_coverage(values(name, half.answerable), values(name, others))
            ],
        }
        for name in signal_names(both)
        for half_name, half in both.items()
        for against, others in (("written", half.written), ("left-out", half.left_out))
        if others and half.answerable
    ]


def operating_points(both: Mapping[str, Half]) -> list[dict[str, Any]]:
    """Return thresholds chosen on the calibration half by three rules, and what they do on both."""
    found: list[dict[str, Any]] = []
    chosen_on = both["calibration"]
    for name in signal_names(both):
        for against in ("written", "left-out"):
            others = chosen_on.others(against)
            if not others or not chosen_on.answerable:
                continue
            mine, theirs = values(name, chosen_on.answerable), values(name, others)
            rules = {
                "Youden": youden(mine, theirs),
                "false answers ≤ 5 %": most_coverage(mine, theirs, 0.05),
                "false answers ≤ 10 %": most_coverage(mine, theirs, 0.10),
            }
            found.extend(
                {
                    "signal": name,
                    "against": against,
                    "rule": rule,
                    "threshold": _number(point.threshold),
                    **{
                        half_name: _rates(name, half, against, point.threshold)
                        for half_name, half in both.items()
                    },
                }
                for rule, point in rules.items()
            )
    return found


def outcome(half: Half, gates: Gates) -> dict[str, Any]:
    """Return what gates do to a half: coverage, and false answers to each kind."""

    def let(found: Sequence[Signals | None]) -> list[float]:
        return [float(passes(each, gates)) for each in found]

    mine = let(half.answerable)
    return {
        against: {
            "answerable": len(mine),
            "others": len(half.others(against)),
            **_numbers(asdict(rates(0.5, mine, let(half.others(against))))),
        }
        for against in ("written", "left-out")
        if half.others(against)
    }


def _rates(signal: str, half: Half, against: Against, threshold: float) -> dict[str, Any]:
    found = rates(threshold, values(signal, half.answerable), values(signal, half.others(against)))
    return _numbers(asdict(found))


def _half(measured: Sequence[Measured]) -> Half:
    return Half(
        answerable=tuple(each.signals for each in measured if each.case.files),
        written=tuple(each.signals for each in measured if not each.case.files),
        left_out=tuple(each.left_out for each in measured if each.case.files),
    )


def _is_test(measured: Measured) -> bool:
    return bool(hashlib.sha256(measured.case.question.encode()).digest()[0] & 1)


def _numbers(found: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in found.items()}


def _number(value: float) -> float | None:
    """Return what JSON can hold."""
    return round(value, 4) if isfinite(value) else None
