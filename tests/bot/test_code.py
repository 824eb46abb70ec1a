"""Where Markdown is code; and that answers show code as it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import code
from bot.pieces import pieces

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "`",
            "``",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "a b",
            "Run. Now",
            "|",
            "\\|",
            "- ",
            "[1]",
            "*",
            " ",
        ]
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a `b` c", ["`b`"]),
        ("``a ` b`` and `c`", ["``a ` b``", "`c`"]),
        ("`open", []),
        ("``a` b", []),
        ("`a`` b`", ["`a`` b`"]),
        ("``` `x` ```", ["``` `x` ```"]),
    ],
)
def test_code_spans(text: str, spans: list[str]) -> None:
    """Runs of backticks pair by their length, as CommonMark says."""
    assert [text[start:end] for start, end in code.spans(text)] == spans


@given(MARKDOWN)
def test_prose_changes_and_code_does_not(text: str) -> None:
    """Outside and inside together are the text, and masking keeps its length."""
    assert code.outside_spans(text, lambda prose: prose) == text
    assert len(code.masked(text)) == len(text)
    changed = code.outside_spans(text, str.upper)
    for start, end in code.spans(text):
        assert changed[start:end] == text[start:end]


@given(MARKDOWN)
def test_fences(text: str) -> None:
    """Each line comes out once, in order."""
    assert "\n".join(line for line, _ in code.lines(text)) == text


@given(MARKDOWN)
def test_pieces_hold_code_that_stands_in_the_passage(text: str) -> None:
    """Every code span of a quoted sentence is in the passage, and blocks are closed."""
    for piece in pieces(text):
        lines = list(code.lines(piece.block))
        assert not piece.block or lines[-1][0].strip()[:3] in {"```", "~~~"}
        for start, end in code.spans(piece.text):
            span = " ".join(piece.text[start:end].split())
            written = " ".join(text.split())
            # In a table's row `\\|` is how one writes a pipe, also in code (GFM 4.10).
            assert span in written or span in written.replace("\\|", "|")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", ["`" * 40_000, "`a" * 20_000, "`` ` " * 10_000, "|" * 40_000])
def test_hostile_texts_cost_no_time(text: str) -> None:
    """They come to an end at all: a pattern that backtracks would hang here."""
    assert "\n".join(line for line, _ in code.lines(text)) == text
    assert all(0 <= start < end <= len(text) for start, end in code.spans(text))
    assert all(piece.text or piece.is_steps for piece in pieces(text))
