"""A session is one thread: its append-only log, its turns, and the window on them.

A turn is claimed (`begin`), committed with its outcome once (`commit`, fenced by the number of
the attempt), and delivered. Whatever happens in between, the stored outcome is what is shown.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import structlog
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from bot.agent import Step
from bot.outcome import Outcome, dump, load
from schema.sql import load as load_sql

__all__ = ["PastTurn", "Post", "Turn", "begin", "commit", "deliver", "drop", "still_mine", "window"]

_SQL = load_sql("bot", "queries.sql")
_LOG = structlog.get_logger("footnote.sessions")
_WINDOW_TURNS = 8

type Connection = AsyncConnection[Any]


@dataclass(frozen=True, slots=True)
class Post:
    """Where a question stands: its thread, its own ts, who wrote it, and what it says."""

    session: str
    team: str
    channel: str
    ts: str
    root_ts: str
    author: str
    question: str
    inbox: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt at a question. `outcome` is there when an earlier attempt committed it."""

    id: str
    attempt: int
    outcome: Outcome | None
    reply_ts: str | None


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A finished turn of the window: what was asked, what it came to."""

    question: str
    outcome: Outcome


async def begin(connection: Connection, post: Post) -> Turn | None:
    """Claim a post, or take up again the turn that this very message has begun.

    Returns:
        The turn with its number of attempts; None when another copy of the post has claimed it.
    """
    async with connection.transaction():
        await connection.execute(
            _SQL["open_session"],
            {
                "session": post.session,
                "team": post.team,
                "channel": post.channel,
                "root_ts": post.root_ts,
            },
        )
        cursor = await connection.execute(
            _SQL["begin_turn"],
            {
                "turn": _turn_id(post),
                "session": post.session,
                "inbox": post.inbox,
                "team": post.team,
                "channel": post.channel,
                "ts": post.ts,
                "question": post.question,
            },
        )
        row = await cursor.fetchone()
    if row is None:
        return None
    turn_id, attempt, outcome, reply_ts = row
    return Turn(turn_id, attempt, _loaded(outcome), reply_ts)


async def window(connection: Connection, session: str) -> tuple[PastTurn, ...]:
    """Return the newest finished turns of a session, oldest first."""
    cursor = await connection.execute(_SQL["window"], {"session": session, "turns": _WINDOW_TURNS})
    rows = await cursor.fetchall()
    past = ((question, _loaded(outcome)) for question, outcome in reversed(rows))
    return tuple(PastTurn(question, outcome) for question, outcome in past if outcome)


async def commit(
    connection: Connection, post: Post, turn: Turn, outcome: Outcome, steps: Sequence[Step]
) -> bool:
    """Store what a turn came to, in the caller's transaction.

    Returns:
        False when a newer attempt has taken the turn over: nothing is stored then, and this
        attempt must show nothing.
    """
    cursor = await connection.execute(
        _SQL["commit_turn"],
        {
            "turn": turn.id,
            "attempt": turn.attempt,
            "outcome": Jsonb(dump(outcome)),
            "stop_reason": outcome.stop_reason,
        },
    )
    if await cursor.fetchone() is None:
        return False
    await _log(connection, post, turn, outcome)
    async with connection.cursor() as many:
        await many.executemany(
            _SQL["keep_citation"],
            [
                {
                    "turn": turn.id,
                    "marker": citation.marker,
                    "chunk_id": citation.passage.chunk_id,
                    "source": citation.passage.source,
                    "title": citation.passage.title,
                    "heading": citation.passage.heading,
                    "page": citation.passage.page,
                    "service": citation.passage.service,
                    "doc_type": citation.passage.doc_type,
                    "link": citation.passage.link,
                    "text": citation.passage.text,
                }
                for citation in outcome.citations
            ],
        )
        await many.executemany(
            _SQL["keep_step"],
            [
                {
                    "turn": turn.id,
                    "number": number,
                    "kind": step.kind,
                    "milliseconds": step.milliseconds,
                    "data": Jsonb(step.data),
                }
                for number, step in enumerate(steps, start=1)
            ],
        )
    return True


async def _log(connection: Connection, post: Post, turn: Turn, outcome: Outcome) -> None:
    cursor = await connection.execute(_SQL["next_numbers"], {"session": post.session, "count": 2})
    row = await cursor.fetchone()
    last = int(row[0]) if row else 2
    events = [
        (last - 1, "user", post.author, post.question, {"ts": post.ts}),
        (last, "assistant", None, outcome.answer, {"stop_reason": outcome.stop_reason}),
    ]
    async with connection.cursor() as many:
        await many.executemany(
            _SQL["append_event"],
            [
                {
                    "session": post.session,
                    "number": number,
                    "kind": kind,
                    "turn": turn.id,
                    "author": author,
                    "text": text,
                    "data": Jsonb(data),
                }
                for number, kind, author, text, data in events
            ],
        )


async def drop(connection: Connection, turn: Turn) -> None:
    """Forget a turn that has no outcome: its message turned out to want no answer."""
    await connection.execute(_SQL["drop_turn"], {"turn": turn.id, "attempt": turn.attempt})


async def still_mine(connection: Connection, turn: Turn) -> bool:
    """Tell whether this attempt may post: none has taken over, and none has posted."""
    cursor = await connection.execute(
        _SQL["still_mine"], {"turn": turn.id, "attempt": turn.attempt}
    )
    row = await cursor.fetchone()
    return bool(row and row[0])


async def deliver(connection: Connection, turn: Turn, reply_ts: str) -> bool:
    """Remember which message shows the outcome; False when another one does already."""
    cursor = await connection.execute(_SQL["deliver_turn"], {"turn": turn.id, "reply_ts": reply_ts})
    return await cursor.fetchone() is not None


def _loaded(stored: object) -> Outcome | None:
    """Return a stored outcome; one that this version can't read counts as an error."""
    if stored is None:
        return None
    try:
        return load(stored)
    except ValidationError:
        incident = secrets.token_hex(4)
        _LOG.exception("outcome_unreadable", incident=incident)
        return Outcome(stop_reason="error", incident=incident)


def _turn_id(post: Post) -> str:
    identity = f"{post.team}\0{post.channel}\0{post.ts}"
    return "t" + sha256(identity.encode()).hexdigest()[:16]
