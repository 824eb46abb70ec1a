"""The citation check: every claim points to a passage of this turn, or the answer isn't shown."""

from bot.citations import check, neutral, passage_ids

IDS = passage_ids(4)


def test_markers_are_numbered_by_first_use() -> None:
    """One number a passage, in the order in which a reader meets them."""
    verdict = check("First. [S3]\nSecond. [S1]\nAgain. [S3]", IDS)
    assert verdict.answer == "First. [1]\nSecond. [2]\nAgain. [1]"
    assert verdict.order == ("S3", "S1")
    assert verdict.cited


def test_several_markers_in_one_bracket() -> None:
    """`[S1, S2]` cites both."""
    assert check("Both say so. [S1, S2]", IDS).answer == "Both say so. [1] [2]"


def test_unknown_ids_are_taken_out() -> None:
    """A marker of no passage is no citation."""
    verdict = check("Invented. [S9]", IDS)
    assert verdict.unknown == ("S9",)
    assert verdict.uncited == ("Invented. [S9]",)
    assert not verdict.cited


def test_a_claim_without_a_marker_is_found() -> None:
    """One uncited line is enough to refuse an answer."""
    verdict = check("Cited. [S1]\nNot cited.", IDS)
    assert verdict.uncited == ("Not cited.",)
    assert not verdict.cited


def test_numbers_in_brackets_of_a_source_are_no_footnotes() -> None:
    """A literal [2] of the quoted text would read as a footnote of ours."""
    verdict = check("See RFC [2] and [a link](x). [S1]\nAnd [1] alone", IDS)
    assert verdict.answer == "See RFC (2) and [a link](x). [1]\nAnd (1) alone"
    assert verdict.uncited == ("And [1] alone",)


def test_code_headings_and_lead_ins_claim_nothing() -> None:
    """What is inside a code block stays as it is, markers included."""
    answer = "# Steps\nDo this:\n```sh\necho [S1] [3] # no claim\n```\nDone. [S2]"
    verdict = check(answer, IDS)
    assert verdict.cited
    assert "echo [S1] [3] # no claim" in verdict.answer


def test_code_spans_stay_exact() -> None:
    """Neither a marker nor a number in brackets is one inside a code span."""
    verdict = check("Use `a[0]` and `[S1]`, not b[1]. [S2]", IDS)
    assert verdict.answer == "Use `a[0]` and `[S1]`, not b(1). [1]"
    assert verdict.order == ("S2",)
    assert check("Only `[S1]`", IDS).uncited == ("Only `[S1]`",)


def test_sources_forge_no_footnotes() -> None:
    """Markers and numbered links in a quoted text lose their brackets; code keeps its own."""
    assert neutral("slow [S2], `x[S1]`, [S1, S3]") == "slow (S2), `x[S1]`, (S1, S3)"
    assert check("[1](http://evil.example) says. [S2]", IDS).answer == (
        "(1)(http://evil.example) says. [1]"
    )


def test_nothing_is_not_cited() -> None:
    """An empty answer has no claim, and so no citation."""
    assert not check("", IDS).cited
