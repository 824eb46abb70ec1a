"""Quotations: whole, verbatim, and with the command that a sentence leads into."""

from collections.abc import AsyncIterator

import pytest

from bot.citations import check, passage_ids
from bot.extractive import Extractive, units
from retrieval.documents import Passage
from retrieval.embedding import Embedder, bundled_embedder

RUNBOOK = """## Mitigation

Drain the node first. It takes about two minutes, e.g. for 30 pods.

1. Cordon it:
   ```sh
   kubectl cordon node-7   # nothing new lands here
   ```
2. Restart the kubelet.

| code | meaning |
|------|---------|
| ERR_1 | disk full |
| ERR_2 | disk slow |
"""


def passage(text: str, number: int = 1) -> Passage:
    """Return a passage that holds a text."""
    return Passage(
        chunk_id=f"c{number}",
        document_id=f"d{number}",
        source=f"{number}.md",
        title="Node not ready",
        heading="Mitigation",
        context="",
        page=None,
        service="platform",
        doc_type="runbook",
        link=None,
        text=text,
    )


@pytest.fixture
async def embedder() -> AsyncIterator[Embedder]:
    """The bundled model."""
    async with bundled_embedder() as opened:
        yield opened


def test_units_are_sentences_items_rows_and_code() -> None:
    """A code block belongs to the item before it and is dedented as a whole."""
    found = units(RUNBOOK)
    assert [unit.text for unit in found] == [
        "Drain the node first.",
        "It takes about two minutes, e.g. for 30 pods.",
        "Cordon it:",
        "Restart the kubelet.",
        "code · meaning",
        "ERR_1 · disk full",
        "ERR_2 · disk slow",
    ]
    assert found[2].block == "```sh\nkubectl cordon node-7   # nothing new lands here\n```"


@pytest.mark.parametrize("text", ["", "```", "```sh\nopen", "|", "- ", "# only a heading", "\n\n"])
def test_odd_texts_have_units_or_none(text: str) -> None:
    """No passage can break the answerer."""
    assert all(unit.text or unit.block for unit in units(text))


async def test_an_answer_is_made_of_the_passages_words(embedder: Embedder) -> None:
    """Every quoted line stands in a passage, and every line is cited."""
    answer = await Extractive(embedder).answer("how do I cordon a node?", [passage(RUNBOOK)])
    verdict = check(answer, passage_ids(1))
    assert verdict.cited
    assert "kubectl cordon node-7   # nothing new lands here" in answer


async def test_a_named_row_is_quoted_without_its_neighbours(embedder: Embedder) -> None:
    """Who asks for one code of a table gets that row."""
    answer = await Extractive(embedder).answer("what is ERR_2?", [passage(RUNBOOK)])
    assert "ERR_2 · disk slow" in answer
    assert "ERR_1" not in answer


async def test_nothing_to_quote_is_an_empty_answer(embedder: Embedder) -> None:
    """The agent then shows the closest chunks instead."""
    assert await Extractive(embedder).answer("anything?", [passage("## Title")]) == ""
