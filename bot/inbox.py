"""The inbox: every accepted message, taken up as they were posted. It is the truth; jobs only wake.

All functions take a connection, so that the caller decides what belongs to one transaction.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from psycopg import AsyncConnection, OperationalError
from psycopg.rows import class_row

from bot import session_log
from bot.edits import Change
from bot.events import Incoming, session_id
from bot.gate import replaces
from bot.voice import Heard
from bot.window import Entry
from schema.sql import load

__all__ = [
    "Message",
    "Why",
    "accept",
    "accept_change",
    "end",
    "forget_replies",
    "is_twin",
    "listen",
    "next_message",
    "reopen_replies",
    "rest",
    "root_posted",
    "session_known",
    "session_lock",
    "session_waits",
    "stop",
    "stop_turn",
    "unwanted",
    "waiting_sessions",
]

_SQL = load("bot", "queries.sql")

type Connection = AsyncConnection[Any]
type Why = Literal["edited", "deleted", "stopped", "superseded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Incoming):
    """An accepted message, with the number of times it was taken up (this time included).

    `accepted_at` is in seconds since the epoch, `tried_seconds` the time since it was first
    taken up. `stopped`: somebody wants no answer any more. `heard` is what its clips say, once
    somebody has listened.
    """

    id: int
    attempts: int
    accepted_at: float
    tried_seconds: float
    stopped: bool
    heard: Heard | None = None


async def accept(connection: Connection, incoming: Incoming) -> bool:
    """Store a message, in a transaction; False when it was stored before."""
    await connection.execute(_SQL["lock_acceptance"], {"session": incoming.session})
    cursor = await connection.execute(
        _SQL["accept"],
        {
            "event_id": incoming.event_id,
            "session": incoming.session,
            "kind": incoming.kind,
            "team": incoming.team,
            "channel": incoming.channel,
            "ts": incoming.ts,
            "root_ts": incoming.root_ts,
            "author": incoming.author,
            "text": incoming.text,
            "services": list(incoming.services),
            "doc_types": list(incoming.doc_types),
            "response_url": incoming.response_url,
            "revision": incoming.revision,
            "replaces": replaces(incoming.kind, incoming.text),
            "clips": list(incoming.clips),
        },
    )
    if await cursor.fetchone() is None:
        return False
    if replaces(incoming.kind, incoming.text):
        await connection.execute(_SQL["notify"])
    return True


async def accept_change(connection: Connection, change: Change) -> bool:
    """Store an edit or a deletion, in a transaction; False when nothing is to be done about it.

    The log gets an event for each turn that the post has had. A running turn's worker is told.
    """
    message = change.message
    post = {"team": message.team, "channel": message.channel, "ts": message.ts}
    # Not while a turn of the post is committed: it is either seen here, or sees this.
    await connection.execute(_SQL["take_post"], post)
    cursor = await connection.execute(_SQL["post_state"], post)
    known, waits = await cursor.fetchone() or (False, False)
    if not known and not change.addressed:
        return False
    if change.late and not waits:
        if known:
            await _log_change(connection, message, again=False)
        return False
    if not await accept(connection, message):
        return False
    await connection.execute(_SQL["wake_post"], post)
    await _log_change(connection, message, again=True)
    await connection.execute(_SQL["notify"])
    return True


async def _log_change(connection: Connection, message: Incoming, *, again: bool) -> None:
    which = {"session": message.session, "ts": message.ts, "revision": message.revision}
    cursor = await connection.execute(_SQL["edit_logged"], which)
    row = await cursor.fetchone()
    if row and row[0]:
        return
    deleted = message.kind == "deletion"
    data = {"ts": message.ts, "revision": message.revision}
    entry = Entry(
        "deletion" if deleted else "edit",
        message.text,
        message.author,
        data if deleted else {**data, "again": again},
    )
    cursor = await connection.execute(
        _SQL["earlier_turns"],
        {**which, "team": message.team, "channel": message.channel},
    )
    for turn, *_ in await cursor.fetchall():
        await session_log.append(connection, message.session, [entry], turn)


async def stop(connection: Connection, message: Incoming) -> bool:
    """Mark what waits in a message's thread as stopped, in a transaction; False: nothing does.

    Said in a direct message, outside of any thread, it means everything there.
    """
    everywhere = message.kind == "direct" and message.root_ts == message.ts
    cursor = await connection.execute(
        _SQL["stop"],
        {
            "session": message.session,
            "team": message.team,
            "channel": message.channel,
            "everywhere": everywhere,
        },
    )
    if not await cursor.fetchall():
        return False
    await connection.execute(_SQL["notify"])
    return True


async def stop_turn(connection: Connection, turn: str, team: str, channel: str) -> str | None:
    """Mark the message that a turn answers as stopped, in a transaction.

    Returns:
        The session to wake, in case no worker is at it; None when the turn is over.
    """
    values = {"turn": turn, "team": team, "channel": channel}
    cursor = await connection.execute(_SQL["stop_turn"], values)
    row = await cursor.fetchone()
    if row is None:
        return None
    await connection.execute(_SQL["notify"])
    return str(row[0])


async def listen(connection: Connection) -> None:
    """Be notified on this connection when something may no longer be wanted."""
    await connection.execute(_SQL["listen"])


async def unwanted(connection: Connection, messages: Sequence[int]) -> dict[int, Why]:
    """Return which of these messages want no answer any more, and why."""
    cursor = await connection.execute(_SQL["unwanted"], {"messages": list(messages)})
    return dict(await cursor.fetchall())


async def waiting_sessions(connection: Connection) -> list[str]:
    """Return the sessions that have messages waiting, the longest wait first."""
    cursor = await connection.execute(_SQL["waiting_sessions"])
    return [session for (session,) in await cursor.fetchall()]


async def session_waits(connection: Connection, session: str) -> bool:
    """Tell whether a session has a message that may be taken up now."""
    cursor = await connection.execute(_SQL["session_waits"], {"session": session})
    row = await cursor.fetchone()
    return bool(row and row[0])


@asynccontextmanager
async def session_lock(connection: Connection, session: str) -> AsyncGenerator[bool]:
    """Hold a session's lock, if it is free; yields whether it was.

    It is an advisory lock of the connection's own PostgreSQL session, so it dies with the worker.
    PostgreSQL lets one session take the same lock twice: use a connection for one lock only.
    """
    cursor = await connection.execute(_SQL["lock_session"], {"session": session})
    row = await cursor.fetchone()
    taken = bool(row and row[0])
    try:
        yield taken
    finally:
        if taken:
            try:
                await connection.execute(_SQL["unlock_session"], {"session": session})
            except OperationalError:
                await connection.close()  # the lock went with the server's side of it


async def next_message(connection: Connection, session: str) -> Message | None:
    """Take up the oldest waiting message of a session, or return None when none waits."""
    async with connection.cursor(row_factory=class_row(Message)) as cursor:
        await cursor.execute(_SQL["next_message"], {"session": session})
        return await cursor.fetchone()


async def end(
    connection: Connection,
    message: Message,
    state: Literal["done", "ignored", "failed"],
    reason: str | None = None,
) -> None:
    """End a message. A message that has ended stays as it is."""
    await connection.execute(
        _SQL["end_message"], {"id": message.id, "state": state, "reason": reason}
    )


async def rest(connection: Connection, message: Message, seconds: float) -> None:
    """Let a message, and with it its session, wait before it is taken up again."""
    await connection.execute(_SQL["rest_message"], {"id": message.id, "seconds": seconds})


async def root_posted(connection: Connection, message: Message, ts: str) -> str:
    """Make a slash command the first message of the thread that its posted question began.

    Returns the id of that thread's session.
    """
    session = session_id(message.team, message.channel, ts)
    await connection.execute(_SQL["root_posted"], {"id": message.id, "ts": ts, "session": session})
    return session


async def is_twin(connection: Connection, message: Message) -> bool:
    """Tell whether a message is a further copy of a post, as mentions come twice."""
    which = {
        "id": message.id,
        "team": message.team,
        "channel": message.channel,
        "ts": message.ts,
        "revision": message.revision,
    }
    cursor = await connection.execute(_SQL["is_twin"], which)
    row = await cursor.fetchone()
    return bool(row and row[0])


async def session_known(connection: Connection, message: Message) -> bool:
    """Tell whether anybody has addressed the bot in a message's thread, above it."""
    which = {"session": message.session, "ts": message.ts}
    cursor = await connection.execute(_SQL["session_known"], which)
    row = await cursor.fetchone()
    return bool(row and row[0])


async def reopen_replies(connection: Connection, message: Message) -> None:
    """Let replies wait again that came before the question they stand below was known here."""
    await connection.execute(_SQL["reopen_replies"], {"session": message.session, "ts": message.ts})


async def forget_replies(connection: Connection) -> None:
    """Forget what was said some minutes ago in threads that turned out not to be ours."""
    await connection.execute(_SQL["forget_replies"])
