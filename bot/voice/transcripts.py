"""What was heard, in the database, while it may be needed again: an answer keeps its own copy."""

from typing import Final

from bot.inbox import Connection, Message
from retrieval.connection import storable
from schema.sql import load

__all__ = ["forget_old", "keep", "known"]

_SQL: Final = load("bot.voice", "queries.sql")


async def known(connection: Connection, message: Message, file: str) -> str | None:
    """Return what was heard in a clip before; None when nobody has listened to it."""
    cursor = await connection.execute(_SQL["transcript"], {"team": message.team, "file": file})
    row = await cursor.fetchone()
    return None if row is None else str(row[0])


async def keep(connection: Connection, message: Message, file: str, words: str) -> None:
    """Keep what was heard in a clip of a message."""
    values = {
        "team": message.team,
        "file": file,
        "session": message.session,
        "author": message.author,
        "text": storable(words),
    }
    await connection.execute(_SQL["keep_transcript"], values)


async def forget_old(connection: Connection) -> None:
    """Forget what was heard in messages that are over."""
    await connection.execute(_SQL["forget_transcripts"])
