"""Answers that were given, looked up for whoever clicks on them: only where they were given."""

from dataclasses import dataclass
from typing import Any

from psycopg.rows import class_row

from bot.inbox import Connection
from bot.outcome import Outcome, load
from retrieval.documents import Passage
from schema.sql import load as load_sql

__all__ = ["Answer", "seen"]

_SQL = load_sql("bot", "answers.sql")


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished turn. `only_for`: the one person who sees it, if it isn't the whole thread."""

    id: str
    session: str
    team: str
    channel: str
    ts: str
    root_ts: str
    question: str
    stop_reason: str
    outcome: Any
    reply_ts: str | None
    only_for: str | None

    def read(self) -> Outcome:
        """Return what it came to."""
        return load(self.outcome)

    def cited(self, marker: int) -> Passage | None:
        """Return what a footnote pointed to, as it read then."""
        cited = self.read().citations
        return next((each.passage for each in cited if each.marker == marker), None)


async def seen(
    connection: Connection, turn: str, team: str, channel: str, person: str
) -> Answer | None:
    """Return a turn of this channel; None when it was forgotten, or is for others' eyes."""
    which = {"turn": turn, "team": team, "channel": channel, "person": person}
    async with connection.cursor(row_factory=class_row(Answer)) as cursor:
        await cursor.execute(_SQL["turn_seen"], which)
        return await cursor.fetchone()
