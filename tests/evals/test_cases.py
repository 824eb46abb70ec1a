"""The questions that the gates were measured with keep the form they are published in."""

from collections import Counter
from pathlib import Path

import pytest

from retrieval.evaluation.cases import read_cases

CASES = Path(__file__).with_name("runbooks.yaml")
LATER = Path(__file__).with_name("runbooks-later.yaml")
WEIGHING = Path(__file__).with_name("runbooks-weighing.yaml")
UNTOUCHED = Path(__file__).with_name("runbooks-untouched.yaml")


def test_there_are_enough_questions_of_both_kinds() -> None:
    """At least sixty have an answer and sixty have none, and none is there twice."""
    cases = read_cases(CASES).cases
    counted = Counter(bool(case.files) for case in cases)
    assert counted[True] >= 60
    assert counted[False] >= 60


@pytest.mark.parametrize("path", [LATER, WEIGHING, UNTOUCHED])
def test_what_was_written_later_is_new(path: Path) -> None:
    """At least forty of each kind, and no question that another file has as well."""
    cases = read_cases(path).cases
    counted = Counter(bool(case.files) for case in cases)
    assert min(counted[True], counted[False]) >= 40
    for other in {CASES, LATER, WEIGHING, UNTOUCHED} - {path}:
        assert not {case.question for case in cases} & {
            case.question for case in read_cases(other).cases
        }


@pytest.mark.parametrize("path", [CASES, LATER, WEIGHING, UNTOUCHED])
def test_files_are_named_by_their_path(path: Path) -> None:
    """An answer is a Markdown page of one of the public sets, and each case says its kind."""
    cases = read_cases(path).cases
    assert all(name.endswith(".md") and "/" in name for case in cases for name in case.files)
    assert all(case.kind for case in cases)
