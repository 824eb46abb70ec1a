"""What comes together before an answer: is it as long as its slowest part, or as their sum?"""

from functools import partial
from pathlib import Path

import numpy as np

from bot import sessions
from bot.core import open_core
from bot.database import Database
from bot.gathering import Gathered, Thread, gather
from bot.memory import Fact, Owner
from bot.memory.keeper import embedded
from bot.memory.recall import Recall
from bot.settings import Settings
from retrieval.ingest import ingest
from retrieval.sources import collect

__all__ = ["context_time"]

_SAMPLES = Path(__file__).parents[2] / "bot" / "samples"
_ASKED = "How do I roll back a deploy?"
_WARM, _TURNS = 5, 100
_MEMORIES = 30


async def context_time(url: str) -> tuple[tuple[str, ...], float]:
    """Return a row (p50 of window, memories, search, all, all ÷ the slowest), and the last."""
    settings = Settings.model_validate({"FOOTNOTE_DATABASE_URL": url})
    owner = Owner("T", "U")
    async with open_core(settings, Database(url, None)) as core:
        await ingest(core.store, core.embedder, collect([_SAMPLES]))
        for n in range(_MEMORIES):
            content = f"service number {n} of mine runs in region {n * 7}"
            await core.memories.add(owner, Fact(content), await embedded(core.embedder, content))
        recall = partial(Recall(core.memories, core.embedder), owner)

        async def load() -> Thread:
            async with core.pool.connection() as connection:
                return Thread(window=await sessions.window(connection, "T:C:1"))

        found: list[Gathered] = [
            await gather(_ASKED, load, recall, core.search.search) for _ in range(_WARM + _TURNS)
        ][_WARM:]
    parts = ("window", "memories", "search", "total")
    times = [f"{np.median([each.timings_ms[part] for each in found]):.1f}" for part in parts]
    ratios = [
        each.timings_ms["total"] / max(each.timings_ms[part] for part in parts[:-1])
        for each in found
    ]
    ratio = float(np.median(ratios))
    return (*times, f"{ratio:.2f}"), ratio
