"""A row of a table that is asked for: which one, and which of its cells."""

from dataclasses import replace

import pytest

from bot.extractive import Extractive
from bot.lookup import Lookup, holding
from bot.pieces import pieces
from retrieval.embedding import bundled_embedder
from tests.bot.citations.passages import PODS

TABLE = """## The map

| what | host in production | port | owner | notes |
|---|---|---|---|---|
| PgBouncer | pgbouncer.database.svc | 6432 | Stores | two pods |
| Redis, queue | redis-queue-0.queue.svc | 6379 | Plumbing | noeviction |
| `bellhop-refunds` | none | 8085 | Money | **one** replica |
"""
ROWS = pieces(TABLE, "Map")


@pytest.mark.parametrize(
    ("question", "row", "columns"),
    [
        ("which port does pgbouncer listen on?", 0, ["port"]),
        ("who owns pg bouncer", 0, ["owner"]),
        ("where is PgBouncer?", 0, ["host in production"]),
        ("who owns redis?", 1, ["owner"]),
        ("which port is redis-queue-0.queue.svc on?", 1, ["port"]),
        ("port and owner of bellhop-refunds", 2, ["port", "owner"]),
    ],
)
def test_a_row_is_asked_for_by_a_name_and_a_column(
    question: str, row: int, columns: list[str]
) -> None:
    """Whichever cell is named, and by the words that stand for a column; no other row is."""
    asked = [Lookup.of(question).asked(each.columns) for each in ROWS]
    assert asked == [columns if place == row else [] for place in range(len(ROWS))]


@pytest.mark.parametrize(
    "question", ["pgbouncer is down", "which port does kafka use?", "who owns the queue?", ""]
)
def test_no_row_is_asked_for(question: str) -> None:
    """Without a name, or without a column, nothing tells which cell is meant."""
    assert not any(Lookup.of(question).asked(each.columns) for each in ROWS)
    assert Lookup.of(question).asked(()) == []


def test_passages_with_the_row_are_found_for_a_fact_alone() -> None:
    """Who wants to know what to do is not answered by a table's cell."""
    table, prose = replace(PODS, text=TABLE), replace(PODS, chunk_id="other", text="PgBouncer.")
    assert holding("which port does pgbouncer listen on?", [prose, table]) == (table,)
    assert holding("pgbouncer: how do I open its port?", [prose, table]) == ()


def test_passages_with_a_codes_row_are_found() -> None:
    """Whoever asks what a code is wants its row; one that only mentions it is no such."""
    table = (
        "| level | when |\n|---|---|\n| SEV-1 | nobody can buy |\n| SEV-2 | as SEV-1, for some |\n"
    )
    levels = replace(PODS, text=table)
    assert holding("what is a SEV-1?", [levels]) == (levels,)
    assert holding("what is a SEV-3?", [levels]) == ()


async def test_the_cell_that_is_asked_for_stands_out() -> None:
    """The row comes with the names of its columns; its footnote names the section all the same."""
    page = replace(PODS, context="Map › The map", heading="The map", text=TABLE)
    async with bundled_embedder() as embedder:
        answer = await Extractive(embedder).answer("which port is pgbouncer on?", [page], ["S1aa"])
    assert answer == (
        "- **PgBouncer** · host in production: pgbouncer.database.svc · **port: 6432**"
        " · owner: Stores · notes: two pods [S1aa]"
    )
