"""What a turn did, read back from the step log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import args_row, class_row

from bot.steps import Step
from schema.sql import load

__all__ = ["Traced", "read"]

_SQL = load("bot", "trace.sql")


@dataclass(frozen=True, slots=True)
class _Turn:
    id: str
    session: str
    question: str
    attempt: int
    stop_reason: str | None
    started_at: datetime
    milliseconds: float | None
    incident: str | None


@dataclass(frozen=True, slots=True)
class Traced:
    """A turn with its steps. `stop_reason` is None while it runs."""

    turn: _Turn
    steps: tuple[Step, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as one JSON object."""
        return {
            "turn": self.turn.id,
            "session": self.turn.session,
            "question": self.turn.question,
            "attempt": self.turn.attempt,
            "stop_reason": self.turn.stop_reason,
            "incident": self.turn.incident,
            "started_at": self.turn.started_at.isoformat(),
            "milliseconds": self.turn.milliseconds,
            "steps": [
                {"kind": each.kind, "milliseconds": each.milliseconds, **each.data}
                for each in self.steps
            ],
        }


async def read(connection: AsyncConnection[Any], name: str | None) -> list[Traced]:
    """Return the turns of a thread or the turn of an id, oldest first; by default the newest turn.

    A thread is named by its whole id (`team:channel:ts`) or by the ts of its root.
    """
    if name is None:
        cursor = await connection.execute(_SQL["newest_turn"])
        row = await cursor.fetchone()
        if row is None:
            return []
        name = str(row[0])
    async with connection.cursor(row_factory=class_row(_Turn)) as cursor:
        await cursor.execute(_SQL["turns_named"], {"name": name})
        turns = await cursor.fetchall()
    steps: dict[str, list[Step]] = {turn.id: [] for turn in turns}
    async with connection.cursor(row_factory=args_row(_of_turn)) as cursor:
        await cursor.execute(_SQL["steps_of_turns"], {"turns": list(steps)})
        for turn, step in await cursor.fetchall():
            steps[turn].append(step)
    return [Traced(turn, tuple(steps[turn.id])) for turn in turns]


def _of_turn(
    turn: str, kind: str, milliseconds: float | None, data: Mapping[str, Any]
) -> tuple[str, Step]:
    return turn, Step(kind, milliseconds, data)
