"""How long it takes to load the window of a long session."""

import json
import time
from collections.abc import Sequence

import numpy as np

from bot import session_log, sessions
from bot.sessions import Post
from bot.window import Entry
from schema import Pool

__all__ = ["session_window"]

_EVENTS_A_TURN = 4
_PASSAGE = "a passage of a runbook as a search gives it. "


async def session_window(
    pool: Pool, length: int, events: int = 200, loads: int = 300
) -> tuple[Sequence[str], float]:
    """Return a row (events, turns shown, p50 and p95 of reading and choosing), and the p50; ms.

    A passage has about so many characters: a search gives four.
    """
    channel = f"C{length}"
    post = Post(f"T:{channel}:0", "T", channel, "0", "0", "U", "what do I do about this alert?")
    passage = _PASSAGE * (length // len(_PASSAGE))
    async with pool.connection() as connection:
        for number in range(events // _EVENTS_A_TURN):
            await _turn(connection, post, number, passage)
        spent: list[float] = []
        for _ in range(loads):
            began = time.perf_counter()
            await sessions.window(connection, post.session)
            spent.append((time.perf_counter() - began) * 1000)
        window = await sessions.window(connection, post.session)
    p50, p95 = np.percentile(spent, [50, 95])
    cells = [str(events), str(length), str(len(window.turns)), f"{p50:.2f}", f"{p95:.2f}"]
    return cells, float(p50)


async def _turn(connection: sessions.Connection, post: Post, number: int, passage: str) -> None:
    """Ask, search once, answer."""
    call = {"call": f"c{number}", "name": "search"}
    entries = [
        Entry("user", post.question, post.author),
        Entry("tool_call", json.dumps({"query": post.question}), None, call),
        Entry("tool_result", passage * 4, None, call),
        Entry("assistant", passage, None, {"titles": ["Runbook"]}),
    ]
    question = Post(post.session, "T", post.channel, str(number), "0", "U", post.question)
    turn = await sessions.begin(connection, question)
    if turn is not None:
        async with connection.transaction():
            await session_log.append(connection, post.session, entries, turn.id)
