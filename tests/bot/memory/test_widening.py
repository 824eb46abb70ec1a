"""Without a model memories order the sources, and decide nothing about whether there are any."""

from dataclasses import replace

from bot.agent import Thread
from bot.core import Core, open_core
from bot.database import Database
from bot.memory import Fact, Owner
from bot.memory.keeper import embedded
from bot.memory.recall import Recall
from bot.outcome import Outcome
from bot.question import parse
from bot.widening import widened
from retrieval.documents import Filters, Passage, SearchResult
from tests.bot.conftest import settings
from tests.bot.memory.conftest import ANA, BEN
from tests.bot.test_loop import ASKED, FAR

FIRST = tuple(
    Passage(f"c{n}", "d", "s", "T", "H", "", None, "payments", "runbook", None, f"Text {n}.", n)
    for n in range(1, 21)
)


def result(*passages: Passage, no_match: bool = False) -> SearchResult:
    """What a search found."""
    return SearchResult("q", Filters(), passages[:4], passages, (), 0.3, no_match)


def test_what_both_found_comes_first() -> None:
    """A chunk that only memories bring up rises, and has no place of its own in the question's."""
    wider = result(FIRST[9], replace(FIRST[9], chunk_id="new", text="New."), *FIRST[:3])
    both = widened(result(*FIRST), wider)
    assert [each.chunk_id for each in both.passages] == ["c1", "c2", "c3", "c10"]
    assert (both.query, both.no_match, both.candidates) == ("q", False, FIRST)


def test_what_was_refused_or_reranked_stays() -> None:
    """Neither a NO_MATCH nor a better order is touched."""
    refused = result(*FIRST, no_match=True)
    assert widened(refused, result(*FIRST[::-1])) is refused
    reranked = result(*(replace(each, rerank_score=1.0) for each in FIRST))
    assert widened(reranked, result(*FIRST[::-1])) is reranked


async def outcome_of(core: Core, owner: Owner, text: str) -> Outcome:
    """What somebody's question comes to."""
    recall = Recall(core.memories, core.embedder)
    answered = await core.agent.answer(
        parse(text), Thread(), recall=lambda words: recall(owner, words)
    )
    return answered.outcome


async def test_a_memory_makes_no_answer(corpus_url: str) -> None:
    """However near it is to the question, NO_MATCH stays NO_MATCH, and the first source stays."""
    told = ("I roll back a deploy by hand on Fridays", "I know which wine goes with roast chicken")
    async with open_core(settings(corpus_url), Database(corpus_url, None)) as core:
        for content in told:
            vector = await embedded(core.embedder, content)
            await core.memories.add(ANA, Fact(content), vector)
        far = await outcome_of(core, ANA, FAR)
        mine, others = await outcome_of(core, ANA, ASKED), await outcome_of(core, BEN, ASKED)
    assert (far.stop_reason, far.memories) == ("no_match", 0)
    assert (mine.stop_reason, mine.memories) == ("cited", 1)
    assert (others.stop_reason, others.memories) == ("cited", 0)
    assert mine.citations[0].passage.source == others.citations[0].passage.source
    assert "Fridays" not in str(mine)
