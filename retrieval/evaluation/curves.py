"""Risk and coverage: how many questions are answered at each threshold, how many wrongly. Pure.

Coverage is the share of the answerable questions that a gate lets through, a false answer is an
unanswerable one that it lets through. What is let through has a value at or above the threshold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, nextafter, sqrt
from typing import Final

import numpy as np

__all__ = ["Point", "Rates", "auroc", "most_coverage", "rates", "risk_coverage", "youden"]

_Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Point:
    """A threshold and what it does."""

    threshold: float
    coverage: float
    false_answers: float


@dataclass(frozen=True, slots=True)
class Rates:
    """Two shares at a threshold, with Wilson's intervals of 95 %."""

    coverage: float
    coverage_low: float
    coverage_high: float
    false_answers: float
    false_low: float
    false_high: float


def auroc(answerable: Sequence[float], others: Sequence[float]) -> float:
    """Return how often an answerable question has the higher value; an equal one counts half."""
    if not answerable or not others:
        return nan
    mine, theirs = np.asarray(answerable)[:, None], np.asarray(others)[None, :]
    return float((mine > theirs).mean() + (mine == theirs).mean() / 2)


def risk_coverage(answerable: Sequence[float], others: Sequence[float]) -> list[Point]:
    """Return a point for each threshold that changes anything, the strictest first."""
    thresholds = sorted({*answerable, *others} - {-inf}, reverse=True)
    return [Point(inf, 0.0, 0.0), *(_point(each, answerable, others) for each in thresholds)]


def most_coverage(answerable: Sequence[float], others: Sequence[float], limit: float) -> Point:
    """Return the most lenient point whose share of false answers is within the limit.

    Of thresholds that let the same measured questions through, the lowest will let most of those
    to come through. It stands halfway to the value that would break the limit.
    """
    points = risk_coverage(answerable, others)
    within = [point for point in points if point.false_answers <= limit]
    return _between(within[-1], points)


def youden(answerable: Sequence[float], others: Sequence[float]) -> Point:
    """Return the point where coverage is farthest above false answers (Youden's J)."""
    points = risk_coverage(answerable, others)
    return _between(max(points, key=lambda point: point.coverage - point.false_answers), points)


def rates(threshold: float, answerable: Sequence[float], others: Sequence[float]) -> Rates:
    """Return what a threshold does to questions that it wasn't chosen on."""
    let_through = sum(value >= threshold for value in answerable)
    wrongly = sum(value >= threshold for value in others)
    low, high = wilson(let_through, len(answerable))
    false_low, false_high = wilson(wrongly, len(others))
    return Rates(
        let_through / len(answerable) if answerable else nan,
        low,
        high,
        wrongly / len(others) if others else nan,
        false_low,
        false_high,
    )


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval of a share, which holds for few cases and for none or all."""
    if not of:
        return 0.0, 1.0
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z * sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def _point(threshold: float, answerable: Sequence[float], others: Sequence[float]) -> Point:
    return Point(
        threshold,
        float((np.asarray(answerable) >= threshold).mean()) if answerable else nan,
        float((np.asarray(others) >= threshold).mean()) if others else nan,
    )


def _between(point: Point, points: Sequence[Point]) -> Point:
    lower = next((each.threshold for each in points if each.threshold < point.threshold), None)
    if lower is None:
        return point
    middle = (point.threshold + lower) / 2 if point.threshold != inf else lower + 1e-9
    # Between the two smallest numbers there is none.
    return Point(max(middle, nextafter(lower, inf)), point.coverage, point.false_answers)
