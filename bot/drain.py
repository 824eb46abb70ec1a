"""Draining a session: its waiting messages, one after the other, each to exactly one end.

One drain at a time holds a session's lock. Everything about the messages is done on the very
connection that holds the lock: whoever loses the lock loses the means to commit with it.
"""

import secrets
import time
from dataclasses import dataclass

import structlog
from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool

from bot import inbox, sessions
from bot.agent import Agent, Thread
from bot.delivery import Delivery, Undeliverable
from bot.gate import is_question, silence
from bot.inbox import Connection, Message
from bot.jobs import Queue
from bot.outcome import Outcome
from bot.question import parse
from bot.sessions import Post, Turn

__all__ = ["Drain", "Limits"]

_LOG = structlog.get_logger("footnote.drain")
_LONGEST_REST = 300.0  # seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """When a message is given up.

    `attempts`: tries at answering before the outcome is `error`. `delivery_seconds`: how long
    a finished outcome is offered to a Slack that fails.
    """

    attempts: int = 5
    delivery_seconds: float = 24 * 3600


class Drain:
    """Answers what waits in sessions."""

    def __init__(
        self,
        pool: AsyncConnectionPool[AsyncConnection],
        queue: Queue,
        agent: Agent,
        delivery: Delivery,
        limits: Limits,
    ) -> None:
        self._pool = pool
        self._queue = queue
        self._agent = agent
        self._delivery = delivery
        self._limits = limits

    async def session(self, session: str) -> None:
        """Take up a session's messages until none waits, or somebody else is at it.

        Whoever finds the lock taken leaves. The holder looks again *after* giving the lock
        back, since a message may have come, and its wake-up gone, in between.
        """
        waits = True
        while waits:
            async with self._pool.connection() as connection:
                async with inbox.session_lock(connection, session) as taken:
                    if not taken:
                        return
                    while message := await inbox.next_message(connection, session):
                        await self._take_up(connection, message)
                waits = await inbox.session_waits(connection, session)

    async def _take_up(self, connection: Connection, message: Message) -> None:
        log = _LOG.bind(message=message.id, session=message.session, attempt=message.attempts)
        try:
            if message.kind == "command" and not message.ts:
                await self._post_question(connection, message)
            else:
                await self._answer(connection, message)
        except Undeliverable as error:
            log.warning("message_undeliverable", error=error.error)
            await inbox.end(connection, message, "failed", f"Slack says {error.error}")
        except Error:
            raise  # the database: nothing can be noted in it now; the sweep will come by
        except Exception as error:  # whatever it is, the message must reach an end
            seconds = min(0.5 * 2.0**message.attempts, _LONGEST_REST)
            log.warning("message_rests", seconds=seconds, error=type(error).__name__, exc_info=True)
            if time.time() - message.accepted_at > self._limits.delivery_seconds:
                await inbox.end(connection, message, "failed", "not delivered in time")
            else:
                await inbox.rest(connection, message, seconds)

    async def _post_question(self, connection: Connection, message: Message) -> None:
        try:
            ts = await self._delivery.question(message)
        except Undeliverable:
            await self._delivery.refuse(message)
            raise
        async with connection.transaction():
            thread = await inbox.root_posted(connection, message, ts)
            await self._queue.wake(connection, thread)

    async def _answer(self, connection: Connection, message: Message) -> None:
        ours = message.kind != "reply" or await inbox.session_known(connection, message.session)
        if why := silence(message.kind, message.text, ours=ours):
            await inbox.end(connection, message, "ignored", why)
            return
        post = Post(
            session=message.session,
            team=message.team,
            channel=message.channel,
            ts=message.ts,
            root_ts=message.root_ts,
            author=message.author,
            question=message.text,
            inbox=message.id,
        )
        turn = await sessions.begin(connection, post)
        if turn is None:
            await inbox.end(connection, message, "ignored", "duplicate")
            return
        outcome = turn.outcome or await self._think(connection, message, post, turn)
        if outcome is None:
            return
        reply_ts = turn.reply_ts or await self._delivery.reply(post, turn, outcome)
        async with connection.transaction():
            await sessions.deliver(connection, turn, reply_ts)
            await inbox.end(connection, message, "done")
        _LOG.info(
            "turn_delivered",
            turn=turn.id,
            session=message.session,
            stop_reason=outcome.stop_reason,
            seconds=round(time.time() - message.accepted_at, 3),
        )

    async def _think(
        self, connection: Connection, message: Message, post: Post, turn: Turn
    ) -> Outcome | None:
        """Return the committed outcome of a turn; None when there is none to show."""
        if turn.attempt > self._limits.attempts:
            incident = secrets.token_hex(4)
            _LOG.error("turn_given_up", turn=turn.id, session=post.session, incident=incident)
            outcome, steps = Outcome(stop_reason="error", incident=incident), []
        else:
            question = parse(message.text).narrowed(message.services, message.doc_types)
            past = await sessions.window(connection, post.session)
            outcome, steps = await self._agent.answer(
                question,
                Thread(
                    team=post.team,
                    channel=post.channel,
                    earlier=tuple(parse(each.question).text for each in past),
                ),
            )
        if (
            outcome.stop_reason == "no_match"
            and message.kind == "reply"
            and not is_question(message.text)
        ):
            # People were talking; a NO_MATCH to a statement would be noise.
            async with connection.transaction():
                await sessions.drop(connection, turn)
                await inbox.end(connection, message, "ignored", "not_a_question")
            return None
        async with connection.transaction():
            committed = await sessions.commit(connection, post, turn, outcome, steps)
        if not committed:
            _LOG.warning("turn_taken_over", turn=turn.id, session=post.session)
            return None
        return outcome
