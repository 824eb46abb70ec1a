"""Thresholds and what they do, on numbers that can be counted by hand."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.curves import (
    auroc,
    most_coverage,
    rates,
    risk_coverage,
    wilson,
    youden,
)

shares = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_auroc_counts_pairs() -> None:
    """Three of four pairs are in order, and an equal pair counts half."""
    assert auroc([0.9, 0.4], [0.5, 0.1]) == 0.75
    assert auroc([0.5], [0.5]) == 0.5


def test_the_limit_is_used_and_kept() -> None:
    """One false answer of four is allowed at 25 %, and the threshold lies where a second begins."""
    point = most_coverage([0.9, 0.8, 0.35, 0.2], [0.5, 0.3, 0.1, 0.0], 0.25)
    assert (point.coverage, point.false_answers) == (0.75, 0.25)
    assert point.threshold == pytest.approx((0.35 + 0.3) / 2)


def test_youden_is_where_the_gap_is_widest() -> None:
    """Two of three answered and none wrongly is better than all with two wrongly."""
    point = youden([0.9, 0.8, 0.1], [0.5, 0.4, 0.0])
    assert (point.coverage, point.false_answers) == (pytest.approx(2 / 3), 0.0)


@given(shares, shares, st.floats(0, 0.5))
def test_a_chosen_threshold_does_what_it_says(
    answerable: list[float], others: list[float], limit: float
) -> None:
    """Counted again at the threshold, coverage and false answers are those of the point."""
    point = most_coverage(answerable, others, limit)
    again = rates(point.threshold, answerable, others)
    assert again.false_answers <= limit
    assert again.false_answers == pytest.approx(point.false_answers)
    assert again.coverage == pytest.approx(point.coverage)


@given(shares, shares)
def test_curves_only_rise(answerable: list[float], others: list[float]) -> None:
    """A lower threshold answers no fewer, rightly or wrongly; it ends with everything answered."""
    points = risk_coverage(answerable, others)
    assert points[0].threshold == inf
    pairs = [(point.coverage, point.false_answers) for point in points]
    assert pairs == sorted(pairs)
    assert pairs[-1] == (1.0, 1.0)


def test_the_interval_of_none_is_not_nothing() -> None:
    """No false answer among 44 leaves room for 8 % (Wilson)."""
    assert wilson(0, 44) == (0.0, pytest.approx(0.0803, abs=1e-4))
    assert wilson(0, 0) == (0.0, 1.0)
