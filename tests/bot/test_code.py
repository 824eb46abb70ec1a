"""Where Markdown is code; and that answers show code as it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import code
from bot.citations import Sources, check
from bot.events import strip_mention
from bot.gate import is_question, silence
from bot.mrkdwn import excerpt, markdown, one_line
from bot.pieces import pieces
from bot.question import in_thread, parse

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


HOSTILE = [
    "`" * 40_000,
    "`a" * 20_000,
    "`` ` " * 10_000,
    "|" * 40_000,
    "-" * 40_000 + " words",
    " " * 40_000 + "words",
    "- " * 20_000 + "x",
    "|:-" * 13_000 + "x",
    "# " + "#" * 20_000 + " " * 20_000 + "x",
    "a. " * 13_000,
    "<http://" * 5_000,
    "<#A|" * 10_000,
    "<@U0BOT|" * 5_000,
    "service:“" * 4_500,
    'type:"' * 6_000,
    "&#" + "9" * 30_000 + ";",
    "[S1, " * 8_000,
    "1" * 40_000 + "g",
    "thanks " * 6_000,
]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_no_text_costs_more_than_its_length(text: str) -> None:
    """Questions and documents are anybody's: no pattern here may backtrack over them."""
    words = strip_mention(text, "U0BOT")
    parse(words)
    in_thread(words, [words])
    silence("reply", words, ours=True)
    is_question(words)
    check(f"{text} [S1]", Sources("salt"))
    markdown(text)
    excerpt(text, "words", 280)
    one_line(text)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_texts_cost_no_time(text: str) -> None:
    """They come to an end at all: a pattern that backtracks would hang here."""
    assert "\n".join(line for line, _ in code.lines(text)) == text
    assert all(0 <= start < end <= len(text) for start, end in code.spans(text))
    assert all(piece.text or piece.is_steps for piece in pieces(text))
