"""What holds for any text whatever: the check never fails, hides or rewrites."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot import code
from bot.citations import Sources, check, correction, without_uncited
from tests.bot.citations.passages import KASSA, PODS

SOURCES = Sources("salt")
A, B = SOURCES.add_all((PODS, KASSA))

MARKDOWN = st.lists(
    st.sampled_from(
        [
            f"[{A}]", f"[{A}, {B}]", f"【{B}】", "[S9zz]", "[1]", "[", "]", "(", "`", "```", "~~~",
            "\n", "\n\n", "- ", "1. ", "  ", "| ", "|---|\n", "# ", "> ", "**", "Restart the pods",
            "sell it", ". ", ": ", "? ", "。", "8443", "No match", "Sources:", "kubectl get pods",
            "kubectl -n payments delete pod payments-api-0", "rm -rf /", "<b>", "\\", "\ue000",
        ]
    ),
    max_size=40,
).map("".join)  # fmt: skip


def blocks(text: str) -> list[str]:
    """Return the lines of code blocks."""
    return [line for line, is_code in code.lines(text) if is_code]


@given(MARKDOWN | st.text())
def test_no_text_makes_it_fail(answer: str) -> None:
    """Each step of the contract comes to an end with a result, for any text."""
    verdict = check(answer, SOURCES)
    rest, removed = without_uncited(verdict)
    assert removed == len(verdict.uncited)
    assert not rest.uncited
    assert len(correction(verdict)) <= 3_000


@given(MARKDOWN)
def test_cited_means_that_each_claim_has_a_valid_id(answer: str) -> None:
    """Nothing else is said of `cited`: an id is one of this turn's passages."""
    verdict = check(answer, SOURCES)
    if verdict.cited:
        assert verdict.claims
        assert all(claim.ids and set(claim.ids) <= set(SOURCES.ids) for claim in verdict.claims)
    numbers = [number for number, _ in verdict.citations]
    assert numbers == list(range(1, len(numbers) + 1))
    assert {name for _, name in verdict.citations} <= set(SOURCES.ids)


@example("[S9zz]```\nls\n```")
@given(MARKDOWN.filter(lambda text: "rm -rf" not in text and "delete" not in text))
def test_code_blocks_stay_byte_for_byte(answer: str) -> None:
    """Nothing but what destroys is ever taken out of a block, and nothing is added."""
    shown = check(answer.replace("\ue000", ""), SOURCES).answer
    assert [line.rstrip() for line in blocks(shown) if line.strip()] == [
        line.rstrip() for line in blocks(answer.replace("\ue000", "")) if line.strip()
    ]


@given(
    st.lists(
        st.sampled_from([f"Restart the pods. [{A}]\n", f"- Tell support [{B}, {A}]\n", "Sell.\n"]),
        max_size=12,
    ).map("".join)
)
def test_numbering_twice_changes_nothing(answer: str) -> None:
    """An answer whose numbers are put back to ids gets the same numbers again."""
    first = check(answer, SOURCES)
    back = first.answer
    for number, name in first.citations:
        back = back.replace(f"[{number}]", f"[{name}]")
    again = check(back, SOURCES)
    assert again.answer == first.answer
    assert again.citations == first.citations


HUGE = [
    f"Restart the pods. [{A}] " * 4_000,
    f"- Restart the pods [{A}]\n" * 4_000,
    f"| Restart | pods [{A}] |\n" * 4_000,
    "Do:\n- a\n" * 10_000,
    "# a\n" * 25_000,
    f"[{A}] " * 16_000,
    "[[(" * 33_000,
    f"[{A}: " * 12_000,
    "`a` " * 25_000,
    "```\nkubectl get pods\n```\n" * 4_000,
    "```\n" + "kubectl get 'pods'\n" * 5_000,
    "kubectl " * 12_000,
    "kubectl -n x " * 8_000,
    "rm - " * 20_000,
    "9.9.9:9/ " * 11_000,
    "a.b@c_" * 16_000,
    " " * 100_000 + "x",
    "i not find " * 9_000,
    "<think>" * 14_000,
    "</think>" * 12_000,
    "- - " * 25_000,
    "**" * 50_000,
    "!?" * 50_000,
    "重启" * 30_000,
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("answer", HUGE, ids=lambda text: text[:24])
def test_a_huge_answer_costs_no_more_than_its_length(answer: str) -> None:
    """No pattern backtracks over 100 kB and no step compares everything with everything."""
    verdict = check(answer, SOURCES)
    without_uncited(verdict)
    correction(verdict)
