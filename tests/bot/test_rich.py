"""A cited chunk in its modal: drawn as its document means it, with nothing lost."""

import re
from pathlib import Path
from typing import Any

import pytest

from bot import code
from bot.replies.chunk import chunk_view
from bot.replies.rich import rich_text
from retrieval.documents import Passage

SAMPLES = Path(__file__).parents[2] / "bot" / "samples"
TARGETS_AND_TABLES = re.compile(r"\]\([^)]*\)|^\|.*$", re.MULTILINE)
CODES = "| code | name | retry |\n|---|---|---|"


def shown(text: str, *, source: str = "a.md", context: str = "") -> list[dict[str, Any]]:
    """Return the elements of a chunk's modal."""
    passage = Passage("", "", source, "T", "", context, None, "s", "t", None, text)
    return chunk_view(1, passage)["blocks"][1]["elements"]


def words(elements: list[dict[str, Any]]) -> str:
    """Return the text of elements, without anything between them."""
    return "".join(each.get("text") or words(each.get("elements", [])) for each in elements)


def test_headings_emphasis_and_links_are_drawn() -> None:
    """No mark of Markdown is left; a link leads where it says, and only to the web."""
    heading, prose = shown(
        "## Roll *back*\n\nRun `a|b` **now**,\nsee [map](https://m.example/) [x](y)"
    )
    assert [each["style"] for each in heading["elements"]] == [
        {"bold": True},
        {"bold": True, "italic": True},
    ]
    assert words([prose]) == "Run a|b now, see map x\n"
    styles = {each["text"]: each.get("style") for each in prose["elements"]}
    assert styles["a|b"] == {"code": True}
    assert styles["now"] == {"bold": True}
    assert [each["url"] for each in prose["elements"] if each["type"] == "link"] == [
        "https://m.example/"
    ]


def test_steps_count_on_after_their_commands() -> None:
    """A command inside a step stands by itself and exactly; the next step has the next number."""
    one, command, two = shown("1. Stop it:\n\n   ```sh\n   kill  -9 *\n   ```\n2. Wait.")
    assert (one["style"], one["offset"], words([one])) == ("ordered", 0, "Stop it:")
    assert (command["type"], words([command])) == ("rich_text_preformatted", "kill  -9 *")
    assert (two["offset"], words([two])) == (1, "Wait.")


def test_lists_within_lists_are_indented() -> None:
    """A list inside an item stands below it."""
    assert [(each["indent"], words([each])) for each in shown("- a\n  - b\n- c")] == [
        (0, "a"),
        (1, "b"),
        (0, "c"),
    ]


@pytest.mark.parametrize(
    "context", ["", f"Codes › Table\n{CODES.splitlines()[0]}"], ids=["whole", "going on"]
)
def test_each_row_of_a_table_says_what_its_cells_are(context: str) -> None:
    """So do the rows of a table whose header stands in an earlier chunk."""
    rows = "| `E_1` | too much | no |\n| `E_2` | | yes |"
    (table,) = shown(rows if context else f"{CODES}\n{rows}", context=context)
    assert [words([each]) for each in table["elements"]] == [
        "E_1 · name: too much · retry: no",
        "E_2 · retry: yes",
    ]


def test_what_is_no_markdown_stands_as_it_is() -> None:
    """Marks and indents of a configuration file mean something else."""
    text = "# limits\nretry:\n  - *default\n"
    (piece,) = shown(text, source="config/limits.yaml")
    assert piece["type"] == "rich_text_preformatted"
    assert words([piece]) == text


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.md")), ids=lambda path: path.stem)
def test_nothing_of_a_runbook_is_lost(path: Path) -> None:
    """Each word of the sample runbooks is there, in order, and each command byte for byte."""
    text = path.read_text("utf-8").split("---", 2)[2]
    elements = rich_text(text)
    prose = "\n".join(line for line, is_code in code.lines(text) if not is_code)
    place = 0
    drawn = words(elements)
    for word in re.findall(
        r"[A-Za-z]{3,}", re.sub(r"\]\([^)]*\)|^\|.*$", "]", prose, flags=re.MULTILINE)
    ):
        place = drawn.index(word, place) + len(word)
    pieces = [words([each]) for each in elements if each["type"] == "rich_text_preformatted"]
    fenced = [line for line, is_code in code.lines(text) if is_code and not code.FENCE.match(line)]
    assert [line.strip() for line in fenced] == [
        line.strip() for piece in pieces for line in piece.split("\n")
    ]
