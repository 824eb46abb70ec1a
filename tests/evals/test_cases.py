"""The questions that the gates were measured with keep the form they are published in."""

from collections import Counter
from pathlib import Path

import pytest

from retrieval.evaluation.cases import read_cases

CASES = Path(__file__).with_name("runbooks.yaml")
LATER = Path(__file__).with_name("runbooks-later.yaml")


def test_there_are_enough_questions_of_both_kinds() -> None:
    """At least sixty have an answer and sixty have none, and none is there twice."""
    cases = read_cases(CASES).cases
    counted = Counter(bool(case.files) for case in cases)
    assert counted[True] >= 60
    assert counted[False] >= 60


def test_what_was_written_later_is_new() -> None:
    """At least forty of each kind, and no question of those that the gates were fitted on."""
    cases = read_cases(LATER).cases
    counted = Counter(bool(case.files) for case in cases)
    assert min(counted[True], counted[False]) >= 40
    assert not {case.question for case in cases} & {
        case.question for case in read_cases(CASES).cases
    }


@pytest.mark.parametrize("path", [CASES, LATER])
def test_files_are_named_by_their_path(path: Path) -> None:
    """An answer is a Markdown page of one of the public sets, and each case says its kind."""
    cases = read_cases(path).cases
    assert all(name.endswith(".md") and "/" in name for case in cases for name in case.files)
    assert all(case.kind for case in cases)
