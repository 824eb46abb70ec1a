"""What people want to have ingested, in the database: it is the truth, jobs only wake.

All functions take a connection, so that the caller decides what belongs to one transaction.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg import AsyncConnection, OperationalError
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from bot.knowledge.results import Result
from bot.knowledge.versions import Version, as_json, of_json
from retrieval.connection import storable
from schema.sql import load

__all__ = [
    "Asked",
    "Item",
    "ItemKind",
    "Listed",
    "Request",
    "SeenBy",
    "Wanted",
    "accept",
    "alone",
    "begun",
    "delete",
    "duplicates",
    "finish",
    "gone",
    "items",
    "line_up",
    "posted",
    "refreshing",
    "rest",
    "settle",
    "stale",
    "take_up",
    "visible",
]

_SQL = load("bot.knowledge", "requests.sql")

type Connection = AsyncConnection[Any]
type ItemKind = Literal["url", "file", "thread"]
type SeenBy = Literal["default", "channel", "workspace"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing to ingest: an address, the id of a file, or a thread's root with its `text`."""

    kind: ItemKind
    location: str
    title: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What somebody asks for. `seen_by`: as the channel has it, or one's own choice.

    `refreshes`: the document that is fetched again; it stays that of whoever brought it.
    """

    id: str
    team: str
    channel: str
    author: str
    thread_ts: str | None = None
    seen_by: SeenBy = "default"
    service: str | None = None
    doc_type: str | None = None
    response_url: str | None = None
    refreshes: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Asked):
    """A request that is being done; `created_at` in seconds since the epoch.

    `posts_at` is the time of its message in the channel's line.
    """

    message_ts: str | None
    posts_at: datetime | None
    attempts: int
    created_at: float


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a request, and how far it is."""

    position: int
    kind: ItemKind
    location: str
    title: str | None
    text: str | None
    result: Result | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as it is listed, with who brought it last and from where, if it was in Slack."""

    id: str
    title: str
    service: str
    doc_type: str
    link: str | None
    audience: str | None
    updated_at: datetime
    chunks: int
    author: str | None
    kind: ItemKind | None
    location: str | None


async def accept(connection: Connection, asked: Asked, wanted: Sequence[Wanted]) -> bool:
    """Store a request, in a transaction; False when it was stored before."""
    values = {
        name: storable(value) if isinstance(value, str) else value
        for name, value in asdict(asked).items()
    }
    cursor = await connection.execute(_SQL["accept"], values)
    if await cursor.fetchone() is None:
        return False
    for position, each in enumerate(wanted):
        item = {
            "request": asked.id,
            "position": position,
            "kind": each.kind,
            "location": storable(each.location),
            "title": storable(each.title),
            "text": storable(each.text),
        }
        await connection.execute(_SQL["accept_item"], item)
    return True


@asynccontextmanager
async def alone(connection: Connection, request: str) -> AsyncGenerator[bool]:
    """Be the one worker at a request, if nobody else is; yields whether it is so."""
    cursor = await connection.execute(_SQL["lock"], {"id": request})
    row = await cursor.fetchone()
    taken = bool(row and row[0])
    try:
        yield taken
    finally:
        if taken:
            try:
                await connection.execute(_SQL["unlock"], {"id": request})
            except OperationalError:
                await connection.close()  # the lock went with the server's side of it


async def take_up(connection: Connection, request: str) -> Request | None:
    """Return a request that is to be done, or None when it is done or isn't there."""
    async with connection.cursor(row_factory=class_row(Request)) as cursor:
        await cursor.execute(_SQL["take_up"], {"id": request})
        return await cursor.fetchone()


async def items(connection: Connection, request: str) -> list[Item]:
    """Return what a request is about."""
    cursor = await connection.execute(_SQL["items"], {"id": request})
    return [
        Item(position, kind, location, title, text, Result.of_json(result) if result else None)
        for position, kind, location, title, text, result in await cursor.fetchall()
    ]


async def line_up(connection: Connection, request: str, posts_at: datetime) -> None:
    """Note the time of a request's message in the channel's line."""
    await connection.execute(_SQL["line_up"], {"id": request, "posts_at": posts_at})


async def rest(connection: Connection, request: str, seconds: float) -> None:
    """Let a request wait for a while, and uncount the attempt: it has let others post first."""
    await connection.execute(_SQL["rest"], {"id": request, "seconds": seconds})


async def posted(connection: Connection, request: str, ts: str) -> None:
    """Note the message of a request."""
    await connection.execute(_SQL["posted"], {"id": request, "ts": ts})


async def begun(
    connection: Connection, request: str, position: int, document: str, now: Version
) -> Version:
    """Note which document an item becomes; returns its version before the first attempt."""
    values = {
        "id": request,
        "position": position,
        "document": document,
        "before": Jsonb(as_json(now)),
    }
    cursor = await connection.execute(_SQL["begun"], values)
    row = await cursor.fetchone()
    return of_json(row[0]) if row else now


async def settle(connection: Connection, request: str, position: int, result: Result) -> None:
    """Note what an item has come to."""
    values = {"id": request, "position": position, "result": Jsonb(result.to_json())}
    await connection.execute(_SQL["settle"], values)


async def finish(connection: Connection, request: str) -> None:
    """End a request."""
    await connection.execute(_SQL["finish"], {"id": request})


async def stale(connection: Connection, seconds: float) -> list[str]:
    """Return the requests that wait, though nobody has been at them for so long."""
    cursor = await connection.execute(_SQL["stale"], {"seconds": seconds})
    return [request for (request,) in await cursor.fetchall()]


async def duplicates(
    connection: Connection, document: str, team: str, channel: str | None
) -> list[str]:
    """Return the titles of documents of the very same text that may be seen in a channel."""
    values = {"document": document, "team": team, "channel": channel}
    cursor = await connection.execute(_SQL["duplicates"], values)
    return [title for (title,) in await cursor.fetchall()]


async def visible(  # noqa: PLR0913  # where, and which of them, by name
    connection: Connection,
    team: str,
    channel: str,
    *,
    document: str | None = None,
    words: str | None = None,
    most: int = 20,
    skip: int = 0,
) -> list[Listed]:
    """Return documents that may be seen in a channel, the latest first; or the one of an id."""
    values = {
        "team": team,
        "channel": channel,
        "document": document,
        "words": storable(words),
        "most": most,
        "skip": skip,
    }
    async with connection.cursor(row_factory=class_row(Listed)) as cursor:
        await cursor.execute(_SQL["visible"], values)
        return await cursor.fetchall()


async def refreshing(connection: Connection, document: str) -> bool:
    """Tell, holding a document's refreshes up, whether one waits or runs; in a transaction."""
    await connection.execute(_SQL["lock_refresh"], {"document": document})
    cursor = await connection.execute(_SQL["refreshing"], {"document": document})
    row = await cursor.fetchone()
    return bool(row and row[0])


async def gone(connection: Connection, document: str) -> bool:
    """Tell whether a document has been deleted."""
    cursor = await connection.execute(_SQL["gone"], {"document": document})
    row = await cursor.fetchone()
    return bool(row and row[0])


async def delete(connection: Connection, team: str, channel: str, document: str) -> str | None:
    """Remove a document that may be seen in a channel; returns its title, None if there is none."""
    values = {"document": document, "team": team, "channel": channel}
    cursor = await connection.execute(_SQL["delete"], values)
    row = await cursor.fetchone()
    return str(row[0]) if row else None
