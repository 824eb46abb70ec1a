"""The questions that the gates were measured with keep the form they are published in."""

from collections import Counter
from pathlib import Path

from retrieval.evaluation.cases import read_cases

CASES = Path(__file__).with_name("runbooks.yaml")


def test_there_are_enough_questions_of_both_kinds() -> None:
    """At least sixty have an answer and sixty have none, and none is there twice."""
    cases = read_cases(CASES).cases
    counted = Counter(bool(case.files) for case in cases)
    assert counted[True] >= 60
    assert counted[False] >= 60


def test_files_are_named_by_their_path() -> None:
    """An answer is a Markdown page of one of the public sets, and each case says its kind."""
    cases = read_cases(CASES).cases
    assert all(name.endswith(".md") and "/" in name for case in cases for name in case.files)
    assert all(case.kind for case in cases)
