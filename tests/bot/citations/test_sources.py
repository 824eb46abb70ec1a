"""The ids of a turn: one a chunk, found in any case, unlike those of another turn."""

from dataclasses import replace

from bot.citations import Sources, neutral
from tests.bot.citations.passages import KASSA, PODS


def test_a_chunk_has_one_id() -> None:
    """Two searches that find the same chunk cite the same footnote."""
    sources = Sources("salt")
    first, second, again = sources.add_all((PODS, KASSA, replace(PODS, rerank_score=0.5)))
    assert first == again != second
    assert sources.ids == (first, second)


def test_ids_are_found_in_any_case() -> None:
    """Models change capitals; an id that nobody gave out is nothing."""
    sources = Sources("salt")
    name = sources.add(PODS)
    assert sources.get(name.upper()) == sources.get(name.lower()) == PODS
    assert sources.known(name.swapcase()) == name
    assert sources.get("S1") is None


def test_ids_cannot_be_foretold() -> None:
    """Other salts give other letters, so a document can't carry the markers of a turn."""
    assert len({Sources(str(number)).add(PODS) for number in range(200)}) > 100


def test_sources_forge_no_footnotes() -> None:
    """What looks like a marker in a quoted text loses its brackets; code keeps its own."""
    assert neutral("slow [S2], `x[S1]`, [S1, S3]") == "slow (S2), `x[S1]`, (S1, S3)"
