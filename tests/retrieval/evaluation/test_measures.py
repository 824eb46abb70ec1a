"""What ir_measures counts from our rankings, against numbers worked out by hand."""

from math import log2

import numpy as np
import pytest

from retrieval.evaluation.measures import difference, figure, per_case


def test_measures_of_two_cases() -> None:
    """One of two wanted pages in third place; and nothing found, which counts as 0."""
    found = per_case(
        {"one": ["x.md", "y.md", "a.md"], "two": []}, {"one": ["a.md", "b.md"], "two": ["c.md"]}
    )
    assert found["hit@1"].tolist() == [0, 0]
    assert found["hit@4"].tolist() == [1, 0]
    assert found["recall@4"].tolist() == [0.5, 0]
    assert found["MRR"].tolist() == [pytest.approx(1 / 3), 0]
    wanted = (1 / log2(4)) / (1 / log2(2) + 1 / log2(3))
    assert found["nDCG@10"].tolist() == [pytest.approx(wanted, abs=1e-6), 0]


def test_intervals_hold_the_mean_and_are_the_same_each_time() -> None:
    """A bootstrap with a fixed seed, so that a report can be compared with the last one."""
    values = np.array([1.0] * 30 + [0.0] * 10)
    one, again = figure(values), figure(values)
    assert one == again
    assert one.low < one.value == 0.75 < one.high
    assert one.high - one.low == pytest.approx(2 * 1.96 * (0.75 * 0.25 / 40) ** 0.5, abs=0.05)


def test_a_difference_is_taken_case_by_case() -> None:
    """Where one search is better on every case by the same, nothing is noise."""
    base = np.linspace(0, 0.8, 20)
    found = difference(base + 0.1, base)
    assert (found.low, found.high) == (pytest.approx(0.1), pytest.approx(0.1))
