"""Fusion of rankings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking import reciprocal_rank_fusion

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4)


def test_the_score_is_the_sum_of_one_over_sixty_plus_rank() -> None:
    """The formula of the paper, with ranks from 1."""
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b", "c"]]))
    assert fused["b"] == pytest.approx(1 / 62 + 1 / 61)
    assert fused["a"] == pytest.approx(1 / 61)
    assert fused["c"] == pytest.approx(1 / 62)


def test_two_middling_places_beat_one_first_place() -> None:
    """What both searches find comes before what only one finds."""
    fused = reciprocal_rank_fusion([["a", "x"], ["b", "x"]])
    assert [name for name, _ in fused] == ["x", "a", "b"]


def test_ties_go_to_the_earlier_ranking() -> None:
    """Equal scores are ordered by the arguments alone."""
    fused = reciprocal_rank_fusion([["v"], ["k"]])
    assert [name for name, _ in fused] == ["v", "k"]


def test_swapped_places_are_a_true_tie() -> None:
    """The same places in another order of addition give the very same score."""
    (first, second) = reciprocal_rank_fusion([["a", "b"], ["b", "a"], ["a", "b"], ["b", "a"]])
    assert first[1] == second[1]
    assert first[0] == "a"


def test_an_id_counts_once_a_ranking() -> None:
    """A row returned twice gets no second vote, and pushes nobody down."""
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == reciprocal_rank_fusion([["a", "b"]])


def test_nothing_found_is_nothing_fused() -> None:
    """Empty rankings are no error."""
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@given(RANKINGS)
def test_every_id_comes_out_once_best_first(rankings: list[list[str]]) -> None:
    """Nothing is lost, nothing doubled, scores never rise."""
    fused = reciprocal_rank_fusion(rankings)
    names = [name for name, _ in fused]
    scores = [score for _, score in fused]
    assert sorted(names) == sorted({name for ranking in rankings for name in ranking})
    assert scores == sorted(scores, reverse=True)


@given(st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_one_ranking_stays_as_it_is(ranking: list[str]) -> None:
    """Fusion with nothing changes no order."""
    assert [name for name, _ in reciprocal_rank_fusion([ranking, []])] == ranking
