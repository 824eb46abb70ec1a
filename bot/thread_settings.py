"""What was set for one thread: its own filter, and whether the bot is quiet in it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncConnection

from schema.sql import load

__all__ = ["ThreadSettings", "mute", "read", "set_filter"]

_SQL = load("bot", "channel_settings.sql")

type Connection = AsyncConnection[Any]


@dataclass(frozen=True, slots=True)
class ThreadSettings:
    """The settings of a thread. A `filtered` one has its own filter; an empty one is "everything".

    `muted`: nothing is answered there until somebody mentions the bot.
    """

    filtered: bool = False
    services: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    muted: bool = False


async def read(connection: Connection, session: str) -> ThreadSettings:
    """Return the settings of a thread."""
    cursor = await connection.execute(_SQL["read_thread"], {"session": session})
    row = await cursor.fetchone()
    if row is None:
        return ThreadSettings()
    filtered, services, doc_types, muted = row
    return ThreadSettings(filtered, tuple(services), tuple(doc_types), muted)


async def set_filter(
    connection: Connection, session: str, services: Collection[str], doc_types: Collection[str]
) -> bool:
    """Give a thread its own filter; False when the thread isn't known."""
    values = {"session": session, "services": list(services), "doc_types": list(doc_types)}
    cursor = await connection.execute(_SQL["filter_thread"], values)
    return await cursor.fetchone() is not None


async def mute(connection: Connection, session: str, *, muted: bool = True) -> None:
    """Be quiet in a thread, or no longer."""
    await connection.execute(_SQL["mute_thread"], {"session": session, "muted": muted})
