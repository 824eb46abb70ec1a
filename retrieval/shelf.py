"""What the corpus holds, as far as somebody may see it: services, types, the latest documents."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from retrieval.connection import storable
from schema.sql import load

if TYPE_CHECKING:
    from psycopg import AsyncConnection

__all__ = ["Kind", "Latest", "kinds", "latest"]

_QUERIES: Final = load("retrieval", "shelf.sql")


@dataclass(frozen=True, slots=True)
class Kind:
    """A pair of service and doc_type that the corpus has, and how many documents have it."""

    service: str
    doc_type: str
    documents: int


@dataclass(frozen=True, slots=True)
class Latest:
    """A document and when it was last stored. `audience` is the one channel that sees it."""

    title: str
    service: str
    doc_type: str
    link: str | None
    audience: str | None
    updated_at: datetime


async def kinds(
    connection: "AsyncConnection[Any]", team: str | None, audiences: Collection[str]
) -> list[Kind]:
    """Return what searches of a team in these channels could find, besides what everybody's can."""
    cursor = await connection.execute(_QUERIES["kinds"], _rights(team, audiences))
    return [Kind(*row) for row in await cursor.fetchall()]


async def latest(
    connection: "AsyncConnection[Any]", team: str | None, audiences: Collection[str], most: int
) -> list[Latest]:
    """Return the documents that were stored or changed last, the newest first."""
    parameters = {**_rights(team, audiences), "most": most}
    cursor = await connection.execute(_QUERIES["latest"], parameters)
    return [Latest(*row) for row in await cursor.fetchall()]


def _rights(team: str | None, audiences: Collection[str]) -> dict[str, object]:
    return {"team": storable(team), "audiences": [storable(each) for each in audiences]}
