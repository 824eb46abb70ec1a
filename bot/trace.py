"""What a turn did, read back from the step log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import args_row, class_row, tuple_row

from bot.steps import Step
from schema.sql import load

__all__ = ["Names", "Traced", "names", "read"]

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


@dataclass(frozen=True, slots=True)
class Names:
    """What chunks are called, and the footnotes of each turn: (turn, chunk) → marker."""

    titles: Mapping[str, str]
    markers: Mapping[tuple[str, str], int]


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


async def names(connection: AsyncConnection[Any], turns: Iterable[Traced]) -> Names:
    """Return what the chunks in the steps of some turns are called; those cited as they were."""
    turns = list(turns)
    async with connection.cursor(row_factory=tuple_row) as cursor:
        ids = [each.turn.id for each in turns]
        await cursor.execute(_SQL["citations_of_turns"], {"turns": ids})
        cited = await cursor.fetchall()
        await cursor.execute(_SQL["chunk_titles"], {"ids": _chunks(turns)})
        named = await cursor.fetchall()
    titles = {chunk: _title(title, heading) for chunk, title, heading in named}
    titles |= {chunk: _title(title, heading) for _, _, chunk, title, heading in cited}
    return Names(titles, {(turn, chunk): marker for turn, marker, chunk, _, _ in cited})


def _chunks(turns: Iterable[Traced]) -> list[str]:
    return [
        str(each["chunk_id"])
        for turn in turns
        for step in turn.steps
        for each in step.data.get("candidates", [])
    ]


def _title(title: str, heading: str | None) -> str:
    return f"{title} › {heading}" if heading and heading != title else title


def _of_turn(
    turn: str, kind: str, milliseconds: float | None, data: Mapping[str, Any]
) -> tuple[str, Step]:
    return turn, Step(kind, milliseconds, data)
