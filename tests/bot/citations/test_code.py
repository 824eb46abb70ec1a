"""Code in an answer beside the code of the chunk that it cites."""

from dataclasses import replace

from bot.citations import Sources, check
from tests.bot.citations.passages import PODS

WRAPPED = replace(
    PODS,
    text="Restart the pods, then set `statement_timeout =\n5s` and look at `pg_stat_activity`.\n\n"
    "Leave `work_mem` as it\n\nis: `never 4GB`.",
)


def marks(says: str) -> list[str]:
    """The marks on what is said of the wrapped chunk."""
    sources = Sources("salt")
    (name,) = sources.add_all((WRAPPED,))
    verdict = check(f"Restart the pods, then set {says}. [{name}]", sources)
    return [mark.kind for claim in verdict.claims for mark in claim.marks]


def test_a_span_may_go_on_in_the_next_line() -> None:
    """A line break in a code span is a space (CommonMark 6.1), in chunk and answer alike."""
    assert marks("`statement_timeout = 5s`") == []
    assert marks("`statement_timeout =\n5s`") == []


def test_no_span_goes_over_a_blank_line() -> None:
    """What stands between two paragraphs' backticks is no code of the chunk."""
    assert "not_in_runbook" in marks("`as it is: never 4GB`")
