"""Draining a session: its waiting messages, one after the other, each to exactly one end.

One drain at a time holds a session's lock. Everything about the messages is done on the very
connection that holds the lock: whoever loses the lock loses the means to commit with it.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace

import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from bot import inbox, sessions, summary
from bot.asking import Asking
from bot.delivery import Delivery
from bot.inbox import Connection, Message
from bot.jobs import Queue
from bot.listening import TOLD, earlier_thread, unanswered
from bot.memory.sayings import saying, veiled
from bot.metrics import Metrics
from bot.pace import InLine, Pace
from bot.pointer import Pointers
from bot.question import parse
from bot.refusals import RateLimited, Undeliverable
from bot.replies.notices import render_same_alert
from bot.sessions import Post
from bot.showing import Due, Showing
from bot.thinking import Thinking
from bot.voice.clips import UNHEARD
from bot.voice.hearing import Hearing
from bot.whispers import Whispers

__all__ = ["Drain"]

_LOG = structlog.get_logger("footnote.drain")
_LONGEST_REST = 300.0  # seconds
_DELIVERY_SECONDS = 24 * 3600.0  # a finished outcome is offered so long to a Slack that fails


class Drain:
    """Answers what waits in sessions."""

    def __init__(  # noqa: PLR0913  # what a session takes comes together here
        self,
        pool: AsyncConnectionPool[AsyncConnection],
        queue: Queue,
        delivery: Delivery,
        *,
        whispers: Whispers,
        pointers: Pointers,
        pace: Pace,
        thinking: Thinking,
        asking: Asking,
        metrics: Metrics,
        hearing: Hearing,
    ) -> None:
        self._pool = pool
        self._queue = queue
        self._delivery = delivery
        self._showing = Showing(pool, delivery, whispers, pace)
        self._pointers = pointers
        self._pace = pace
        self._thinking = thinking
        self._asking = asking
        self._metrics = metrics
        self._hearing = hearing
        self._at_work: set[str] = set()
        self._stopping = False

    async def until_stopped(self) -> None:
        """Until cancelled, take up whatever waits; then only bring to an end what is taken up."""
        try:
            await asyncio.Event().wait()
        finally:
            self._stopping = True

    async def session(self, session: str) -> None:
        """Take up a session's messages until none waits, or somebody else is at it.

        Whoever finds the lock taken leaves. The holder looks again *after* giving the lock
        back, since a message may have come, and its wake-up gone, in between.
        """
        # A lock is lost with its connection, but what this process is doing then goes on.
        if session in self._at_work:
            return
        self._at_work.add(session)
        try:
            await self._drain(session)
        finally:
            self._at_work.discard(session)

    async def _drain(self, session: str) -> None:
        waits = True
        while waits and not self._stopping:
            async with self._pool.connection() as connection:
                async with inbox.session_lock(connection, session) as taken:
                    if not taken:
                        return
                    while not self._stopping:
                        if (message := await inbox.next_message(connection, session)) is None:
                            break
                        await self._take_up(connection, message)
                waits = await inbox.session_waits(connection, session)

    async def _take_up(self, connection: Connection, message: Message) -> None:
        log = _LOG.bind(message=message.id, session=message.session, attempt=message.attempts)
        try:
            if message.kind in {"command", "share"} and not message.ts:
                await self._post_question(connection, message)
            elif message.kind == "deletion":
                await self._withdraw(connection, message)
            else:
                await self._answer(connection, message)
        except Undeliverable as error:
            log.warning("message_undeliverable", error=error.error)
            await inbox.end(connection, message, "failed", f"Slack says {error.error}")
        except InLine as line:
            log.info("message_in_line", seconds=round(line.seconds, 1))
            await self._pace.wait(connection, self._queue, message, line)
        except RateLimited as pause:
            log.info("message_rests", seconds=pause.seconds, error="RateLimited")
            if pause.posts:
                await self._pace.hold(connection, message.channel, pause.seconds)
            await inbox.rest(connection, message, pause.seconds)
        except Exception as error:
            if connection.broken or connection.closed:
                raise  # nothing can be noted; the sweep will come by
            seconds = min(0.5 * 2.0 ** min(message.attempts, 10), _LONGEST_REST)
            log.warning("message_rests", seconds=seconds, error=type(error).__name__, exc_info=True)
            if message.tried_seconds > _DELIVERY_SECONDS:
                await inbox.end(connection, message, "failed", "not delivered in time")
            else:
                await inbox.rest(connection, message, seconds)

    async def _post_question(self, connection: Connection, message: Message) -> None:
        await self._pace.await_turn(connection, message)
        try:
            ts = await self._delivery.question(message)
        except Undeliverable:
            await self._delivery.refuse(message)
            raise
        async with connection.transaction():
            thread = await inbox.root_posted(connection, message, ts)
            await self._queue.wake(connection, thread)

    async def _withdraw(self, connection: Connection, message: Message) -> None:
        """Take back the reply to a question that was taken back."""
        replied = await self._take_back(connection, _post(message))
        await inbox.end(connection, message, "done")
        _LOG.info("question_withdrawn", session=message.session, replied=replied)

    async def _take_back(self, connection: Connection, post: Post, *, answers: bool = True) -> bool:
        """Delete the reply to a post, or only its pointer; tells whether there was one."""
        turns = await sessions.withdraw(connection, post)
        known = [each for each in turns if each.reply_ts]
        reply_ts = next((each.reply_ts for each in known if answers or not each.delivered), None)
        if turns and not known:
            # A worker that died in between may have posted without telling.
            with suppress(Undeliverable):  # the thread went with its root
                found = await self._delivery.find_any(post, [each.id for each in turns])
                reply_ts = found.ts if found else None
        if reply_ts:
            await self._delivery.delete(post, reply_ts)
        if answers and turns:
            with suppress(Undeliverable):
                for part in await self._delivery.find_parts(post, [each.id for each in turns]):
                    await self._delivery.delete(post, part.ts)
        return reply_ts is not None

    async def _answer(self, connection: Connection, message: Message) -> None:
        if message.clips:
            # Nobody listens for an answer that isn't given, whatever is said.
            unheard = replace(message, text=UNHEARD)
            if await self._is_copy(connection, message) or await self._left_alone(
                connection, unheard
            ):
                return
            message = await self._hearing.heard(connection, message, _post(message))
        if await self._left_alone(connection, message):
            return
        post = _post(message)
        if said := saying(parse(message.text).text):
            post = replace(post, question=veiled(said))
        turn = await sessions.begin(connection, post)
        if turn is None:
            await inbox.end(connection, message, "ignored", "duplicate")
            return
        await inbox.reopen_replies(connection, message)
        pointer = self._pointers.of(connection, post, turn)
        outcome = turn.outcome or await self._thinking.think(
            connection, message, post, turn, pointer
        )
        if outcome is None:
            return
        due = Due(connection, message, post, turn)
        if not await self._showing.tell(due, outcome, pointer):
            return
        await pointer.forget()
        await inbox.end(connection, message, "done")
        seconds = time.time() - message.accepted_at
        self._metrics.delivered(outcome.stop_reason, seconds)
        _LOG.info(
            "turn_delivered",
            turn=turn.id,
            session=message.session,
            stop_reason=outcome.stop_reason,
            seconds=round(seconds, 3),
        )
        if await summary.due(connection, message.session):
            async with connection.transaction():
                await self._queue.later(connection, summary.TASK, session=message.session)

    async def _is_copy(self, connection: Connection, message: Message) -> bool:
        """End a further copy of a post whose first one has been taken up."""
        if not await inbox.is_twin(connection, message):
            return False
        await inbox.end(connection, message, "ignored", "duplicate")
        return True

    async def _left_alone(self, connection: Connection, message: Message) -> bool:
        """End a message that gets no answer, with a word to its author where there is one."""
        why = (await inbox.unwanted(connection, [message.id])).get(message.id)
        if why in {"edited", "deleted"}:
            await inbox.end(connection, message, "ignored", why)
            return True
        if why := await unanswered(connection, message):
            if message.revision:
                await self._take_back(connection, _post(message), answers=False)
            if earlier := why == "same_alert" and await earlier_thread(connection, message):
                await self._point_back(connection, message, earlier)
            await inbox.end(connection, message, "ignored", why)
            if why in TOLD and not await inbox.is_twin(connection, message):
                await self._delivery.whisper(message, TOLD[why])
            return True
        if sorry := await self._asking.refusal(message.author):
            await inbox.end(connection, message, "ignored", "not_allowed")
            if message.kind != "reply" and not await inbox.is_twin(connection, message):
                await self._delivery.whisper(message, sorry)
            return True
        return False

    async def _point_back(self, connection: Connection, message: Message, earlier: str) -> None:
        """Say in an alert's thread, in one line, where the same one was answered."""
        link = await self._delivery.permalink(message.channel, earlier)
        if link is not None:  # else that thread is gone
            reply = render_same_alert(link, float(message.ts) - float(earlier))
            key = f"alert {message.id}"
            await self._pace.await_turn(connection, message)
            await self._delivery.notice(
                message.channel, message.root_ts, reply, key, message.accepted_at
            )


def _post(message: Message) -> Post:
    return Post(
        session=message.session,
        team=message.team,
        channel=message.channel,
        ts=message.ts,
        root_ts=message.root_ts,
        author=message.author,
        question=message.text,
        inbox=message.id,
        revision=message.revision,
        only_for=message.author if message.kind == "quiet" else None,
    )
