"""A turn's own time: everything but the model, whose server answers at once."""

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bot.cli.ask import answer
from bot.core import open_core
from bot.database import Database
from bot.question import parse
from bot.settings import Settings
from retrieval.ingest import ingest
from retrieval.sources import collect
from tests.chat_server import Reply, chat_server

__all__ = ["turn_overhead"]

_SAMPLES = Path(__file__).parents[2] / "bot" / "samples"
_ASKED = "How do I roll back a deploy?"
_WARM, _TURNS = 5, 60


def _script(messages: Sequence[Any]) -> Reply:
    found = re.findall(r'id="(S\w+)"', messages[-1]["content"])
    return Reply(f"Roll back to the last good build [{found[0]}].")


async def turn_overhead(url: str) -> tuple[Sequence[str], float]:
    """Return a row (turns, p50 and p95 of a whole turn, p50 of the model's call), and the p50; ms.

    The turns are `footnote ask`'s: window, search, model, check, commit; each in a new thread.
    """
    async with chat_server() as chat:
        chat.by = _script
        values = {"FOOTNOTE_DATABASE_URL": url, "model_url": chat.url, "model": "scripted"}
        async with open_core(Settings.model_validate(values), Database(url, None)) as core:
            await ingest(core.store, core.embedder, collect([_SAMPLES]))
            times: list[float] = []
            for _ in range(_WARM + _TURNS):
                began = time.perf_counter()
                outcome = await answer(core, _ASKED, parse(_ASKED))
                times.append((time.perf_counter() - began) * 1000)
                assert outcome.stop_reason == "cited"
            async with core.pool.connection() as connection:
                cursor = await connection.execute(
                    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds)"
                    " FROM step WHERE kind = 'model'"
                )
                row = await cursor.fetchone()
    p50, p95 = np.percentile(times[_WARM:], [50, 95])
    cells = str(_TURNS), f"{p50:.1f}", f"{p95:.1f}", f"{row[0] if row else 0:.1f}"
    return cells, float(p50)
