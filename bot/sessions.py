"""A session is one thread: its turns, and the window on its log.

A turn is claimed (`begin`), committed with its outcome once (`commit`, fenced by the number of
the attempt), and delivered. Whatever happens in between, the stored outcome is what is shown.
A post that is edited gets a further turn, which takes over the reply.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import structlog
from psycopg import AsyncConnection
from psycopg.rows import args_row
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from bot import session_log
from bot.outcome import Outcome, dump, load
from bot.steps import Step
from bot.window import Entry, Window, choose
from schema.sql import load as load_sql

__all__ = [
    "WINDOW_TOKENS",
    "Earlier",
    "Post",
    "Turn",
    "begin",
    "claim_reply",
    "commit",
    "deliver",
    "drop",
    "keep_steps",
    "said",
    "still_mine",
    "window",
    "withdraw",
]

_SQL = load_sql("bot", "queries.sql")
_LOG = structlog.get_logger("footnote.sessions")

WINDOW_TOKENS = 6_000
"""What of a thread a model is given. The rest of its context is for passages and the answer."""

type Connection = AsyncConnection[Any]


@dataclass(frozen=True, slots=True)
class Post:
    """Where a question stands: its thread, its own ts, who wrote it, and what it says.

    `revision` is the ts of the edit that made it say so; empty as it was first posted.
    `only_for`: the one person who sees the answer; None when it is whoever sees the thread.
    """

    session: str
    team: str
    channel: str
    ts: str
    root_ts: str
    author: str
    question: str
    inbox: int | None = None
    revision: str = ""
    only_for: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt at a question. `outcome` is there when an earlier attempt committed it.

    `reply_ts` is the message that shows the outcome once the turn is `delivered`; before that,
    its pointer, or what answered the question as it read before its edit. `earlier` are the ids
    of the turns from before. `log_version` is that of the session's log when the attempt began:
    what is appended later doesn't disturb it.
    """

    id: str
    attempt: int
    outcome: Outcome | None
    reply_ts: str | None
    log_version: int = 0
    delivered: bool = False
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Earlier:
    """A turn that a post had before: `reply_ts` shows its answer; not `delivered`, its pointer."""

    id: str
    reply_ts: str | None
    delivered: bool


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
                "revision": post.revision,
                "question": post.question,
                "only_for": post.only_for,
            },
        )
        row = await cursor.fetchone()
        earlier: list[Earlier] = []
        if row and post.revision:
            earlier = await _end_earlier(connection, post, Outcome(stop_reason="superseded"))
    if row is None:
        return None
    turn_id, attempt, outcome, reply_ts, version, delivered = row
    ids = tuple(each.id for each in earlier)
    return Turn(turn_id, attempt, _loaded(outcome), reply_ts, version, delivered, ids)


async def withdraw(connection: Connection, post: Post) -> list[Earlier]:
    """End what a post has begun that was taken back, or asks nothing now; returns all of it."""
    async with connection.transaction():
        return await _end_earlier(connection, post, Outcome(stop_reason="cancelled"))


async def _end_earlier(connection: Connection, post: Post, outcome: Outcome) -> list[Earlier]:
    """End the turns that a post had before its edit, or its being taken back; returns all."""
    which = {"team": post.team, "channel": post.channel, "ts": post.ts, "revision": post.revision}
    await connection.execute(
        _SQL["end_earlier_turns"],
        {**which, "outcome": Jsonb(dump(outcome)), "stop_reason": outcome.stop_reason},
    )
    async with connection.cursor(row_factory=args_row(Earlier)) as cursor:
        await cursor.execute(_SQL["earlier_turns"], which)
        return await cursor.fetchall()


async def window(connection: Connection, session: str) -> Window:
    """Return what a model gets to see of a session."""
    # Twice of it, since turns that were edited or taken back are read and not shown.
    log = await session_log.read(connection, session, 2 * WINDOW_TOKENS)
    return choose(log, WINDOW_TOKENS)


async def commit(  # noqa: PLR0913, PLR0917  # what a turn comes to, all at once
    connection: Connection,
    post: Post,
    turn: Turn,
    outcome: Outcome,
    steps: Sequence[Step],
    events: Sequence[Entry] = (),
) -> bool:
    """Store what a turn came to, in the caller's transaction.

    Args:
        connection: in a transaction.
        post: the question.
        turn: the attempt at it.
        outcome: what it came to.
        steps: what was done; none leaves those of an earlier attempt, that failed.
        events: what was said between the question and the answer, for the log.

    Returns:
        False when a newer attempt has taken the turn over, or the question was edited or taken
        back: nothing is stored then, and this attempt must show nothing.
    """
    await connection.execute(_SQL["take_post"], {"channel": post.channel, "ts": post.ts})
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
    question, answer = said(post, outcome)
    await session_log.append(connection, post.session, [question, *events, answer], turn.id)
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
    if steps:
        await keep_steps(connection, turn, steps)
    return True


async def keep_steps(connection: Connection, turn: Turn, steps: Sequence[Step]) -> None:
    """Store what an attempt has done, in the caller's transaction, in place of earlier attempts.

    Nothing is stored for a turn that is gone, or that another attempt has taken over.
    """
    values = {"turn": turn.id, "attempt": turn.attempt}
    cursor = await connection.execute(_SQL["forget_steps"], values)
    row = await cursor.fetchone()
    if not (row and row[0]):
        return
    async with connection.cursor() as many:
        await many.executemany(
            _SQL["keep_step"],
            [
                {
                    "turn": turn.id,
                    "number": number,
                    "kind": step.kind,
                    "milliseconds": step.milliseconds,
                    "data": Jsonb(dict(step.data)),
                }
                for number, step in enumerate(steps, start=1)
            ],
        )


def said(post: Post, outcome: Outcome) -> tuple[Entry, Entry]:
    """Return a question and its answer as the log keeps them."""
    titles = dict.fromkeys(citation.passage.title for citation in outcome.citations)
    data = {"stop_reason": outcome.stop_reason, "titles": list(titles)}
    told = outcome.stop_reason in {"noted", "unheard"}
    answer = outcome.answer or ("\n".join(outcome.notes) if told else "")
    return (
        Entry("user", post.question, post.author, {"ts": post.ts}),
        Entry("assistant", answer, None, data),
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


async def claim_reply(connection: Connection, post: Post, turn: Turn, reply_ts: str) -> bool:
    """Make a message the one that will show the outcome; False when it has to go again."""
    async with connection.transaction():
        # Not while the post's edit begins its turn: it takes the message over, or doesn't.
        await connection.execute(_SQL["take_post"], {"channel": post.channel, "ts": post.ts})
        values = {"turn": turn.id, "attempt": turn.attempt, "reply_ts": reply_ts}
        cursor = await connection.execute(_SQL["claim_reply"], values)
        if await cursor.fetchone() is not None:
            return True
        which = {"team": post.team, "channel": post.channel, "ts": post.ts, "reply_ts": reply_ts}
        cursor = await connection.execute(_SQL["is_reply"], which)
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
    if post.revision:
        identity += f"\0{post.revision}"
    return "t" + sha256(identity.encode()).hexdigest()[:16]
