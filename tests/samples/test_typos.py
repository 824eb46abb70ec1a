"""Questions typed in a hurry, with the bundled embedder, beside the sample runbooks."""

import asyncio
from pathlib import Path

from bot.agent import Agent, Thread
from bot.core import open_core
from bot.database import Database
from bot.extractive import Extractive
from bot.question import parse
from bot.settings import Settings
from retrieval.ingest import ingest
from retrieval.search import Search
from retrieval.sources import collect

SAMPLES = Path(__file__).parents[2] / "bot" / "samples"
TYPED = {
    "certifcate expried on the ingress": (
        "certificate expired on the ingress",
        "Read “certifcate” as “certificate”, “expried” as “expired”.",
    ),
    "how do i drian the dead leters of the quue": (
        "how do i drain the dead letters of the queue",
        "Read “drian” as “drain”, “leters” as “letters”, “quue” as “queue”.",
    ),
}


async def test_a_mistyped_question_is_answered_as_the_right_one(database_url: str) -> None:
    """The same quotations, and a line that says how it was read."""
    settings = Settings.model_validate({"FOOTNOTE_DATABASE_URL": database_url})
    async with open_core(settings, Database(database_url, None)) as core:
        await ingest(core.store, core.embedder, await asyncio.to_thread(collect, [SAMPLES]))
        agent = Agent(Search(core.store, core.embedder), Extractive(core.embedder))
        for typed, (meant, told) in TYPED.items():
            mistyped = (await agent.answer(parse(typed), Thread())).outcome
            right = (await agent.answer(parse(meant), Thread())).outcome
            assert mistyped.stop_reason == "cited"
            assert mistyped.answer == right.answer
            assert mistyped.notes == (told,)
            assert right.notes == ()
        topic = next(iter(TYPED))
        going_on = (await agent.answer(parse("and who owns it?"), Thread(earlier=(topic,)))).outcome
        kafka = (await agent.answer(parse("kafak brokers are donw"), Thread())).outcome
    assert going_on.stop_reason == "cited"
    assert going_on.notes == ()  # told with the topic's own answer
    assert kafka.stop_reason == "no_match"
