"""Showing what a turn came to, once, whatever died or was changed in between."""

import secrets
from dataclasses import dataclass

import structlog
from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool

from bot import around, sessions
from bot.delivery import Delivery
from bot.inbox import Connection, Message
from bot.outcome import Outcome
from bot.pace import InLine, Pace
from bot.pointer import Pointer
from bot.refusals import Undeliverable
from bot.replies import Reply, messages, render
from bot.sessions import Post, Turn
from bot.whispers import Whispers

__all__ = ["Due", "Showing"]

_LOG = structlog.get_logger("footnote.showing")


@dataclass(frozen=True, slots=True)
class Due:
    """A turn that somebody waits for the outcome of; `connection` holds its session's lock."""

    connection: Connection
    message: Message
    post: Post
    turn: Turn


class Showing:
    """Lets Slack show outcomes."""

    def __init__(
        self,
        pool: AsyncConnectionPool[AsyncConnection],
        delivery: Delivery,
        whispers: Whispers,
        pace: Pace,
    ) -> None:
        self._pool = pool
        self._delivery = delivery
        self._whispers = whispers
        self._pace = pace

    async def tell(self, due: Due, outcome: Outcome, pointer: Pointer) -> bool:
        """Show an outcome in the thread, or privately where a click allows what a post doesn't.

        Returns:
            False when another attempt has taken that over.

        Raises:
            Undeliverable: Slack refuses for good.
            RateLimited: Slack wants a pause first.
            InLine: others post in the channel first.
        """
        if due.turn.delivered:
            return True
        if due.post.only_for is not None:
            return await self._whisper(due, outcome)
        try:
            return await self._show(due, outcome, pointer)
        except InLine:
            if not pointer.uncertain:
                await self._pace.step_back(due.connection, due.turn)
            raise
        except Undeliverable:
            if due.message.response_url is None:
                raise
            await self._whispers.answer(due.message, await self._rendered(due, outcome))
            return True

    async def _whisper(self, due: Due, outcome: Outcome) -> bool:
        """Show an outcome to whoever asked; False when another attempt has taken that over."""
        if not await sessions.still_mine(due.connection, due.turn):
            return False
        await self._whispers.answer(due.message, await self._rendered(due, outcome))
        return await sessions.deliver(due.connection, due.turn, "")  # Slack keeps no such message

    async def _show(self, due: Due, outcome: Outcome, pointer: Pointer) -> bool:
        """Let Slack show an outcome once; False when another attempt has taken that over."""
        connection, post, turn = due.connection, due.post, due.turn
        there, shown = pointer.ts, False
        if pointer.uncertain and (found := await self._delivery.find(post, turn)):
            there, shown = found.ts, found.shows(turn)
            if not shown and not await sessions.claim_reply(connection, post, turn, there):
                return False
        replies = await self._rendered(due, outcome)
        if posts := len(replies) - (there is not None):
            await self._pace.await_turn(connection, due.message, posts)
        # Asked of the connection with the lock, as late as can be: a worker that was stopped for
        # a while, or has lost its lock, finds out here.
        if not shown and not await sessions.still_mine(connection, turn):
            return False
        reply_ts = there if shown else None
        if reply_ts is None:
            reply_ts = await self._delivery.reply(
                post, turn, replies[0], outcome.stop_reason, there
            )
        if len(replies) > 1 or turn.earlier:
            await self._delivery.further(post, turn, replies[1:])
        return await self._delivered(due, reply_ts, there)

    async def _delivered(self, due: Due, reply_ts: str, there: str | None) -> bool:
        """Remember that Slack shows an outcome; False when another message does already."""
        post, turn = due.post, due.turn
        try:
            first = await sessions.deliver(due.connection, turn, reply_ts)
        except Error:
            # That Slack has the reply is a fact, whoever holds the lock by now.
            async with self._pool.connection() as another:
                first = await sessions.deliver(another, turn, reply_ts)
        if not first:
            _LOG.warning("double_withdrawn", turn=turn.id, session=post.session)
            await self._delivery.withdraw(post, reply_ts)
        elif there is not None and there != reply_ts:
            await self._delivery.withdraw(post, there)  # it couldn't be changed
        return first

    async def _rendered(self, due: Due, outcome: Outcome) -> list[Reply]:
        """Render an outcome; one that can't be rendered is told as an error, not as silence."""
        beside = await around.read(due.connection, due.post, due.turn, outcome)
        try:
            return messages(render(outcome, beside))
        except Exception:  # noqa: BLE001  # whatever it is, somebody waits for a reply
            incident = secrets.token_hex(4)
            _LOG.exception("outcome_not_rendered", turn=due.turn.id, incident=incident)
            return messages(render(Outcome(stop_reason="error", incident=incident)))
