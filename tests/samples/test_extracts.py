"""Quotations on the sample runbooks: what has to be quoted, what must not, what is NO_MATCH.

The cases are a measure, not a list of promises: some fail, and the number that hold may only rise.
Those marked `held` were written before anything was chosen by the others.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.agent import Agent, Thread
from bot.core import open_core
from bot.database import Database
from bot.extractive import Extractive
from bot.question import parse
from bot.settings import Settings
from retrieval.embedding import Embedder, Vector
from retrieval.ingest import ingest
from retrieval.search import Search
from retrieval.sources import collect

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "bot" / "samples"
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "extracts.yaml").read_text("utf-8"))
LEAST = {"chosen on": 56, "held": 47}


class Remembering:
    """An embedder that makes the vector of a text once: the same pieces come up again."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self.name: str = embedder.name
        self.size: int = embedder.size

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        return await self._embedder.embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of pieces."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        made = await self._embedder.embed_documents(new)
        self._known |= dict(zip(new, made, strict=True))
        return [self._known[text] for text in texts]

    async def maxsim(self, question: str, passages: Sequence[str]) -> list[float] | None:
        """How much of a question each passage says."""
        return await self._embedder.maxsim(question, passages)


@pytest.mark.timeout(600)
async def test_answers_quote_what_was_asked_for(database_url: str) -> None:
    """As many as were measured, on the cases things were chosen by and on the others."""
    settings = Settings.model_validate({"FOOTNOTE_DATABASE_URL": database_url})
    held = {"chosen on": 0, "held": 0}
    failed: list[str] = []
    async with open_core(settings, Database(database_url, None)) as core:
        embedder = Remembering(core.embedder)
        await ingest(core.store, embedder, await asyncio.to_thread(collect, [SAMPLES]))
        agent = Agent(Search(core.store, embedder), Extractive(embedder))
        for case in CASES:
            answered = await agent.answer(parse(case["ask"]), Thread())
            if holds(case, answered.outcome.stop_reason, answered.outcome.answer):
                held["held" if case.get("held") else "chosen on"] += 1
            else:
                failed.append(case["ask"])
    assert all(held[part] >= LEAST[part] for part in LEAST), (held, failed)


def holds(case: dict[str, Any], stop_reason: str, answer: str) -> bool:
    """Say whether an answer quotes all that it has to, and nothing that it must not."""
    if "quote" not in case:
        return stop_reason == "no_match"
    return all(text in answer for text in case["quote"]) and not any(
        text in answer for text in case.get("never", ())
    )
