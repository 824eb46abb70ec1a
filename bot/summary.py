"""Summaries of turns that no longer fit into the window, appended to the log as events.

They are made in the background, after the answer: a model may take its time over them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from bot import session_log
from bot.inbox import Connection
from bot.model import Model, System, User
from bot.mrkdwn import cut
from bot.prompts import prompt
from bot.sessions import WINDOW_TOKENS
from bot.untrusted import block
from bot.window import Entry, Turn, estimate, outgrown
from schema.database import Pool
from schema.sql import load

__all__ = ["TASK", "Summaries", "Summarise", "by_model", "due", "extractive", "keep_up"]

TASK = "summarise_session"
"""The background task; its argument is the `session`."""

type Summarise = Callable[[str | None, Sequence[Turn]], Awaitable[str]]
"""Returns the text of a new summary, from the one before and the turns that it lacks."""

_SQL = load("bot", "queries.sql")
_LOG = structlog.get_logger("footnote.summary")
_SECONDS = 30.0  # for a model's summary
_READ = 3_000  # tokens of turns that a model is given, the newest
_MESSAGE = 1_500  # characters of one message of them
_WRITTEN = 400  # tokens of a model's summary
_LINES = 40  # of the newest; older ones have had their time
_LONGEST = 200  # characters of a question, in one line


async def extractive(before: str | None, turns: Sequence[Turn]) -> str:
    """Return a summary without a model: what was asked, and which documents were cited."""
    lines = (before or "").splitlines() + [_line(turn) for turn in turns]
    return "\n".join(lines[-_LINES:])


def by_model(model: Model) -> Summarise:
    """Return what has a model write the summary.

    It raises when the model fails, says nothing, or takes longer than half a minute.
    """

    async def summarise(before: str | None, turns: Sequence[Turn]) -> str:
        pieces = [block("summary of earlier turns", before)] if before else []
        pieces += _newest([_told(turn) for turn in turns])
        async with asyncio.timeout(_SECONDS):
            completion = await model.complete(
                [System(prompt("summary")), User("\n\n".join(pieces))], max_tokens=_WRITTEN
            )
        lines = [line.strip() for line in completion.text.splitlines() if line.strip()]
        if not lines or completion.finish == "filtered":
            raise ValueError("no summary")
        return "\n".join(cut(line, _LONGEST) for line in lines[:_LINES])

    return summarise


class Summaries:
    """The background task. `pool` stays its opener's."""

    def __init__(self, pool: Pool, summarise: Summarise) -> None:
        self._pool: Pool = pool
        self._summarise: Summarise = summarise

    async def write(self, session: str) -> None:
        """Bring a session's summary up to date, unless another worker is at it."""
        async with self._pool.connection() as connection:
            which = {"session": session}
            cursor = await connection.execute(_SQL["lock_summary"], which)
            row = await cursor.fetchone()
            if not (row and row[0]):
                return
            try:
                await keep_up(connection, session, WINDOW_TOKENS, self._summarise)
            finally:
                if not connection.closed:
                    await connection.execute(_SQL["unlock_summary"], which)


async def due(connection: Connection, session: str) -> bool:
    """Tell whether a session's log has outgrown the window."""
    return bool(outgrown(await session_log.read(connection, session), WINDOW_TOKENS)[1])


async def keep_up(
    connection: Connection, session: str, budget_tokens: int, summarise: Summarise
) -> bool:
    """Append a summary when a session's log has outgrown the window; tells whether it has.

    When a model fails at it, the summary is extractive.
    """
    told, turns = outgrown(await session_log.read(connection, session), budget_tokens)
    if not turns:
        return False
    before = told.text if told else None
    try:
        text = await summarise(before, turns)
    except Exception as error:  # noqa: BLE001  # whatever a model does, the answer is out
        _LOG.warning("summary_failed", session=session, error=type(error).__name__)
        text = await extractive(before, turns)
    known = told.data.get("turns", []) if told else []
    entry = Entry("summary", text, None, {"turns": [*known, *(turn[0].turn for turn in turns)]})
    async with connection.transaction():
        await session_log.append(connection, session, [entry])
    _LOG.info("session_summarised", session=session, turns=len(turns))
    return True


def _told(turn: Turn) -> str:
    """Return what was asked and answered as the model reads it."""
    said = [event for event in turn if event.kind in {"user", "assistant"} and event.text]
    return "\n".join(
        block("question" if event.kind == "user" else "answer", cut(event.text, _MESSAGE))
        for event in said
    )


def _newest(pieces: Sequence[str]) -> list[str]:
    """Return as many of the last pieces as a model is given."""
    kept: list[str] = []
    room = _READ
    for piece in reversed(pieces):
        room -= estimate(piece)
        if room < 0:
            break
        kept.insert(0, piece)
    return kept


def _line(turn: Turn) -> str:
    asked = next(event.text for event in turn if event.kind == "user")
    titles = [
        str(title)
        for event in turn
        if event.kind == "assistant"
        for title in event.data.get("titles", ())
    ]
    answered = f"answered from {', '.join(titles)}" if titles else "no answer found"
    return f"- asked: {cut(' '.join(asked.split()), _LONGEST)} · {answered}"
