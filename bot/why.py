"""Why an answer is what it is: the stored trace of its turn, as its channel may see it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import args_row

from bot import trace
from bot.answers import Answer
from bot.inbox import Connection
from bot.outcome import Outcome
from bot.steps import Step
from schema.sql import load

__all__ = ["Chunk", "Why", "read"]

_SQL = load("bot", "answers.sql")


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a chunk is of, now, and the version of that document: when it changed, and its hash."""

    id: str
    title: str
    heading: str
    service: str
    changed_at: datetime
    version: str


@dataclass(frozen=True, slots=True)
class Why:
    """A turn's outcome, steps and times. `chunks` are those that the channel may see, by id."""

    turn: str
    outcome: Outcome
    steps: tuple[Step, ...]
    chunks: Mapping[str, Chunk]


async def read(connection: Connection, answer: Answer) -> Why:
    """Return why a turn came to what it did."""
    traced = await trace.read(connection, answer.id)
    steps = traced[0].steps if traced else ()
    ids = {str(found["chunk_id"]) for step in steps for found in candidates(step)}
    values = {"chunks": list(ids), "team": answer.team, "channel": answer.channel}
    async with connection.cursor(row_factory=args_row(Chunk)) as cursor:
        await cursor.execute(_SQL["chunks_seen"], values)
        chunks = {each.id: each for each in await cursor.fetchall()}
    return Why(answer.id, answer.read(), steps, chunks)


def candidates(step: Step) -> list[Mapping[str, Any]]:
    """Return what a search has found, best first; nothing for other steps."""
    return list(step.data.get("candidates") or []) if step.kind == "search" else []
