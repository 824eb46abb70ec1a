"""What a short message is searched for, in a thread whose topic found nothing."""

import pytest

from bot.agent import Agent, Thread
from bot.core import open_core
from bot.database import Database
from bot.extractive import Extractive
from bot.outcome import Outcome
from bot.question import parse
from tests.bot.conftest import settings

UNKNOWN = "how do I rotate the kafka broker certificates?"


async def after(url: str, text: str, *earlier: str) -> Outcome:
    """What a message comes to after others of its thread."""
    async with open_core(settings(url), Database(url, None)) as core:
        agent = Agent(core.search, Extractive(core.embedder))
        return (await agent.answer(parse(text), Thread(earlier=earlier))).outcome


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("can I deploy on friday", "No deploys from Friday"),
        ("ringpay is down", "whether it is them or us"),
        ("refunds are stuck", "q:refunds:busy"),
    ],
)
async def test_a_question_is_not_lost_to_an_unknown_topic(
    corpus_url: str, text: str, quote: str
) -> None:
    """With the thread's topic it finds nothing; it is asked alone, and both searches are told."""
    outcome = await after(corpus_url, text, UNKNOWN)
    assert quote in outcome.answer
    assert [each.query for each in outcome.searched] == [f"{UNKNOWN}\n{text}", text]


@pytest.mark.parametrize(
    "text", ["and in staging?", "what about prod?", "on node 3", "who owns it?"]
)
async def test_a_follow_up_of_an_unknown_topic_stays_with_it(corpus_url: str, text: str) -> None:
    """Alone it would be answered about something else; it isn't searched for."""
    outcome = await after(corpus_url, text, UNKNOWN)
    assert outcome.stop_reason == "no_match"
    assert [each.query for each in outcome.searched] == [f"{UNKNOWN}\n{text}"]


async def test_a_topic_that_finds_something_is_kept(corpus_url: str) -> None:
    """One search is enough then, as complete as the message may be."""
    outcome = await after(corpus_url, "rollback is stuck", "how do I roll back a deploy?")
    assert len(outcome.searched) == 1
