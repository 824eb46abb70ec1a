"""Pages without markup: their headings and commands are told apart, and their lines kept."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.citations import Sources, check
from bot.extractive import Extractive
from bot.pieces import pieces_of
from bot.plain import marked
from retrieval.embedding import bundled_embedder
from tests.bot.citations.passages import PODS
from tests.bot.test_code import HOSTILE

PAGE = """Boiler handbook
1. Before you begin
The boiler is in the cellar. Ring the caretaker first, who has the key to the
door and knows which of the two lamps is the green one.
Take the pressure off
sudo boilerctl --unit=2 \\
 --release-valve --wait
# the lamp must be off now
ssh cellar-1.example
Wait until the lamp is green. It takes two minutes.
What not to do
Never open unit 1. Whatever is in there is under
git and cat in the manual have nothing to do with it.
Boilers Ltd - page 1 of 3

Look at the readings
select max(pressure)
from readings;
select count(*) from alarms;
kubectl is not needed, since the boiler is older than it. Call us.
"""


def test_headings_and_commands_of_a_page() -> None:
    """A command with its ends below it; a wrapped sentence is neither, whatever it begins with."""
    lines = [line for line in marked(PAGE).split("\n") if line]
    assert [line for line in lines if line.startswith("## ")] == [
        "## Boiler handbook",
        "## 1. Before you begin",
        "## Take the pressure off",
        "## What not to do",
        "## Look at the readings",
    ]
    fences = [place for place, line in enumerate(lines) if line == "```"]
    assert len(fences) == 4
    assert lines[fences[0] + 1 : fences[1]] == PAGE.split("\n")[5:9]
    assert lines[fences[2] + 1 : fences[3]] == ["select count(*) from alarms;"]
    assert "Boilers Ltd - page 1 of 3" not in lines


async def test_a_page_of_a_pdf_is_quoted_with_its_commands() -> None:
    """Under the heading they stand under, and byte for byte: the check finds them in the page."""
    page = replace(PODS, page=1, context="", title="Boiler handbook", text=PAGE)
    sources = Sources("salt")
    ids = [sources.add(page)]
    async with bundled_embedder() as embedder:
        answer = await Extractive(embedder).answer("take the pressure off", [page], ids)
    verdict = check(answer, sources)
    assert verdict.cited
    assert "- Take the pressure off:" in verdict.answer
    assert "sudo boilerctl --unit=2 \\\n --release-valve --wait\n# the lamp" in verdict.answer
    assert "not in a runbook" not in verdict.answer


def test_the_rest_of_a_sentence_is_no_piece() -> None:
    """A chunk of a PDF may begin anywhere; a command at its beginning is whole."""
    page = replace(PODS, page=2, text="key and the lamp are his. Ring him first.\n")
    assert [each.text for each in pieces_of(page)] == ["Ring him first."]
    assert pieces_of(replace(page, text="and so on")) == []
    (command,) = pieces_of(replace(page, text="ssh cellar-1.example\n"))
    assert command.block == "```\nssh cellar-1.example\n```"


@given(st.lists(st.sampled_from([*PAGE.split("\n"), "", "```", "  x", "- a", "$ ls -l"])))
def test_no_line_is_changed(lines: list[str]) -> None:
    """Only marks come between them, and what looks like a page's footer is left out."""
    text = "\n".join(lines)
    found = [line.removeprefix("## ") for line in marked(text).split("\n")]
    kept = iter(found)
    assert all(line in kept for line in lines if line.strip() and "page 1 of 3" not in line)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_pages_cost_no_time(text: str) -> None:
    """No pattern here may backtrack over a document."""
    assert all(each.text or each.is_steps for each in pieces_of(replace(PODS, page=1, text=text)))
