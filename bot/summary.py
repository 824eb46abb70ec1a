"""Summaries of turns that no longer fit into the window, appended to the log as events."""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from bot import session_log
from bot.inbox import Connection
from bot.mrkdwn import cut
from bot.window import Entry, Turn, outgrown

__all__ = ["Summarise", "extractive", "keep_up"]

type Summarise = Callable[[str | None, Sequence[Turn]], Awaitable[str]]
"""Returns the text of a new summary, from the one before and the turns that it lacks."""

_LOG = structlog.get_logger("footnote.summary")
_LINES = 40  # of the newest; older ones have had their time
_LONGEST = 200  # characters of a question, in one line


async def extractive(before: str | None, turns: Sequence[Turn]) -> str:
    """Return a summary without a model: what was asked, and which documents were cited."""
    lines = (before or "").splitlines() + [_line(turn) for turn in turns]
    return "\n".join(lines[-_LINES:])


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
