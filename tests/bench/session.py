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
_RESULT = "a passage of a runbook as a search gives it. " * 25  # about 1,100 characters


async def session_window(pool: Pool, events: int = 200, loads: int = 300) -> Sequence[str]:
    """Return events, and p50 and p95 of reading and choosing in ms, over several loads."""
    post = Post("T:C:0", "T", "C", "0", "0", "U", "what do I do about this alert?")
    async with pool.connection() as connection:
        for number in range(events // _EVENTS_A_TURN):
            await _turn(connection, post, number)
        spent: list[float] = []
        for _ in range(loads):
            began = time.perf_counter()
            await sessions.window(connection, post.session)
            spent.append((time.perf_counter() - began) * 1000)
        window = await sessions.window(connection, post.session)
    p50, p95 = np.percentile(spent, [50, 95])
    return [str(events), str(len(window.turns)), f"{p50:.2f}", f"{p95:.2f}"]


async def _turn(connection: sessions.Connection, post: Post, number: int) -> None:
    """Ask, search once, answer."""
    call = {"call": f"c{number}", "name": "search"}
    entries = [
        Entry("user", post.question, post.author),
        Entry("tool_call", json.dumps({"query": post.question}), None, call),
        Entry("tool_result", _RESULT * 4, None, call),
        Entry("assistant", _RESULT, None, {"titles": ["Runbook"]}),
    ]
    question = Post(post.session, "T", "C", str(number), "0", "U", post.question)
    turn = await sessions.begin(connection, question)
    if turn is not None:
        async with connection.transaction():
            await session_log.append(connection, post.session, entries, turn.id)
