"""How turns end, how long they take and what they cost, counted over some days."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any, Literal

from psycopg import AsyncConnection
from psycopg.rows import class_row

from schema.sql import load

__all__ = ["Group", "Key", "Row", "grouped", "read"]

_SQL = load("bot", "trace.sql")
_PER = 1_000_000  # tokens, of a price

type Key = Literal["day", "channel", "service"]


@dataclass(frozen=True, slots=True)
class Row:
    """One finished turn. `service` names those that it cited."""

    day: str
    channel: str
    service: str
    stop_reason: str
    milliseconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Group:
    """Turns counted together. `cost` is in whatever the prices are."""

    name: str
    turns: int
    outcomes: dict[str, int]
    p50_ms: float
    p95_ms: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


async def read(connection: AsyncConnection[Any], days: float) -> list[Row]:
    """Return the turns that began within some days and have ended."""
    async with connection.cursor(row_factory=class_row(Row)) as cursor:
        await cursor.execute(_SQL["turns_since"], {"days": days})
        return await cursor.fetchall()


def grouped(
    rows: Iterable[Row], by: Key | None, prompt_price: float, completion_price: float
) -> list[Group]:
    """Count turns by day, channel or service, or all together; prices are per million tokens."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault("all" if by is None else getattr(row, by) or "none", []).append(row)
    return [
        _counted(name, turns, prompt_price, completion_price)
        for name, turns in sorted(groups.items())
    ]


def _counted(name: str, rows: Sequence[Row], prompt_price: float, completion_price: float) -> Group:
    times = [row.milliseconds for row in rows]
    # The cut points of one value are that value.
    cuts = quantiles([*times, *times], n=100, method="inclusive")
    prompts = sum(row.prompt_tokens for row in rows)
    completions = sum(row.completion_tokens for row in rows)
    reasons = sorted(row.stop_reason for row in rows)
    return Group(
        name=name,
        turns=len(rows),
        outcomes={reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
        p50_ms=round(cuts[49], 1),
        p95_ms=round(cuts[94], 1),
        calls=sum(row.calls for row in rows),
        prompt_tokens=prompts,
        completion_tokens=completions,
        cost=round((prompts * prompt_price + completions * completion_price) / _PER, 6),
    )
