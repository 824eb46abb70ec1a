"""Draining a session: its waiting messages, one after the other, each to exactly one end.

One drain at a time holds a session's lock. Everything about the messages is done on the very
connection that holds the lock: whoever loses the lock loses the means to commit with it.
"""

import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import structlog
from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool

from bot import around, inbox, session_log, sessions, summary
from bot.agent import Agent, Answered, Thread
from bot.asker import asker
from bot.delivery import Delivery, RateLimited, Undeliverable
from bot.feedback import tell_owners
from bot.gate import is_question
from bot.inbox import Connection, Message
from bot.jobs import Queue
from bot.joining import Joining
from bot.listening import TOLD, answered_alert, unanswered
from bot.memory import Owner, learning
from bot.memory.mind import Mind
from bot.memory.sayings import saying, veiled
from bot.narrowing import narrowed
from bot.outcome import Outcome
from bot.pointer import Pointer, Pointers
from bot.question import parse
from bot.reasoner import Progress, silent
from bot.replies import Reply, messages, render
from bot.running import Running, Unwanted
from bot.sessions import Post, Turn
from bot.window import topics

if TYPE_CHECKING:
    from bot.steps import Step

__all__ = ["Drain", "Limits"]

_LOG = structlog.get_logger("footnote.drain")
_LONGEST_REST = 300.0  # seconds
_WATCHED = "I looked this up because alert watch is on in this channel."


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

    def __init__(  # noqa: PLR0913, PLR0917  # what a turn takes comes together here
        self,
        pool: AsyncConnectionPool[AsyncConnection],
        queue: Queue,
        agent: Agent,
        delivery: Delivery,
        pointers: Pointers,
        running: Running,
        joining: Joining,
        limits: Limits,
        mind: Mind | None = None,
    ) -> None:
        self._pool = pool
        self._queue = queue
        self._agent = agent
        self._delivery = delivery
        self._pointers = pointers
        self._running = running
        self._joining = joining
        self._limits = limits
        self._mind = mind
        self._at_work: set[str] = set()

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
            elif message.kind == "deletion":
                await self._withdraw(connection, message)
            else:
                await self._answer(connection, message)
        except Undeliverable as error:
            log.warning("message_undeliverable", error=error.error)
            await inbox.end(connection, message, "failed", f"Slack says {error.error}")
        except RateLimited as pause:
            log.info("message_rests", seconds=pause.seconds, error="RateLimited")
            await inbox.rest(connection, message, pause.seconds)
        except Exception as error:
            if connection.broken or connection.closed:
                raise  # nothing can be noted; the sweep will come by
            seconds = min(0.5 * 2.0 ** min(message.attempts, 10), _LONGEST_REST)
            log.warning("message_rests", seconds=seconds, error=type(error).__name__, exc_info=True)
            if message.tried_seconds > self._limits.delivery_seconds:
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
        why = (await inbox.unwanted(connection, [message.id])).get(message.id)
        if why in {"edited", "deleted"}:
            await inbox.end(connection, message, "ignored", why)
            return
        if why := await unanswered(connection, message):
            if message.revision:
                await self._take_back(connection, _post(message), answers=False)
            await inbox.end(connection, message, "ignored", why)
            if why in TOLD:
                await self._delivery.whisper(message, TOLD[why])
            return
        post = _post(message)
        if self._mind and (said := saying(parse(message.text).text)):
            post = replace(post, question=veiled(said))
        turn = await sessions.begin(connection, post)
        if turn is None:
            await inbox.end(connection, message, "ignored", "duplicate")
            return
        await inbox.reopen_replies(connection, message)
        pointer = self._pointers.of(connection, post, turn)
        outcome = turn.outcome or await self._think(connection, message, post, turn, pointer)
        if outcome is None:
            return
        if not await self._told(connection, message, post, turn, outcome, pointer):
            return
        await inbox.end(connection, message, "done")
        _LOG.info(
            "turn_delivered",
            turn=turn.id,
            session=message.session,
            stop_reason=outcome.stop_reason,
            seconds=round(time.time() - message.accepted_at, 3),
        )
        if await summary.due(connection, message.session):
            async with connection.transaction():
                await self._queue.later(connection, summary.TASK, session=message.session)

    async def _told(  # noqa: PLR0913, PLR0917  # what a reply takes
        self,
        connection: Connection,
        message: Message,
        post: Post,
        turn: Turn,
        outcome: Outcome,
        pointer: Pointer,
    ) -> bool:
        """Show an outcome in the thread, or privately where a click allows what a post doesn't."""
        try:
            return await self._show(connection, post, turn, outcome, pointer)
        except Undeliverable:
            replies = await self._rendered(connection, post, turn, outcome)
            if not await self._delivery.privately(message, replies[0]):
                raise
            return True

    async def _show(
        self, connection: Connection, post: Post, turn: Turn, outcome: Outcome, pointer: Pointer
    ) -> bool:
        """Let Slack show an outcome once; False when another attempt has taken that over."""
        if turn.delivered:
            return True
        there, shown = pointer.ts, False
        if pointer.uncertain and (found := await self._delivery.find(post, turn)):
            there, shown = found.ts, found.shows(turn)
            if not shown and not await sessions.claim_reply(connection, post, turn, there):
                return False
        # Asked of the connection with the lock, as late as can be: a worker that was stopped for
        # a while, or has lost its lock, finds out here.
        if not shown and not await sessions.still_mine(connection, turn):
            return False
        replies = await self._rendered(connection, post, turn, outcome)
        reply_ts = there if shown else None
        if reply_ts is None:
            reply_ts = await self._delivery.reply(
                post, turn, replies[0], outcome.stop_reason, there
            )
        if len(replies) > 1 or turn.earlier:
            await self._delivery.further(post, turn, replies[1:])
        try:
            first = await sessions.deliver(connection, turn, reply_ts)
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

    async def _rendered(
        self, connection: Connection, post: Post, turn: Turn, outcome: Outcome
    ) -> list[Reply]:
        """Render an outcome; one that can't be rendered is told as an error, not as silence."""
        beside = await around.read(connection, post, turn, outcome)
        try:
            return messages(render(outcome, beside))
        except Exception:  # noqa: BLE001  # whatever it is, somebody waits for a reply
            incident = secrets.token_hex(4)
            _LOG.exception("outcome_not_rendered", turn=turn.id, incident=incident)
            return messages(render(Outcome(stop_reason="error", incident=incident)))

    async def _think(
        self,
        connection: Connection,
        message: Message,
        post: Post,
        turn: Turn,
        pointer: Pointer,
    ) -> Outcome | None:
        """Return the committed outcome of a turn; None when there is none to show.

        When it fails, what it did is kept all the same.
        """
        steps: list[Step] = []
        try:
            return await self._thought(connection, message, post, turn, pointer, steps)
        except Exception:
            if not (connection.broken or connection.closed):
                async with connection.transaction():
                    await sessions.keep_steps(connection, turn, steps)
            raise

    async def _thought(  # noqa: PLR0913, PLR0917  # what a turn takes comes together here
        self,
        connection: Connection,
        message: Message,
        post: Post,
        turn: Turn,
        pointer: Pointer,
        steps: list["Step"],
    ) -> Outcome | None:
        if message.attempts > self._limits.attempts:
            incident = secrets.token_hex(4)
            _LOG.error("turn_given_up", turn=turn.id, session=post.session, incident=incident)
            answered = Answered(Outcome(stop_reason="error", incident=incident))
        else:

            async def work(progress: Progress) -> Answered:
                return await self._running.run(
                    connection,
                    message,
                    lambda: self._work(connection, message, post, progress, steps),
                )

            try:
                # What may turn out to be people talking is not pointed at.
                answered = await (
                    pointer.while_working(work) if _is_awaited(message) else work(silent)
                )
            except Unwanted as unwanted:
                if unwanted.why != "stopped":
                    async with connection.transaction():
                        await sessions.keep_steps(connection, turn, steps)
                        await inbox.end(connection, message, "ignored", unwanted.why)
                    return None
                answered = Answered(Outcome(stop_reason="cancelled"), tuple(steps))
        outcome = answered.outcome
        if outcome.stop_reason in {"uncited", "budget"}:
            outcome = replace(outcome, incident=secrets.token_hex(4))
        if (why := _noise(message, outcome)) and not turn.earlier:
            async with connection.transaction():
                await sessions.drop(connection, turn)
                await inbox.end(connection, message, "ignored", why)
            return None
        if not await self._committed(
            connection, message, post, turn, replace(answered, outcome=outcome)
        ):
            _LOG.warning("turn_taken_over", turn=turn.id, session=post.session)
            return None  # by another attempt, or by an edit or a deletion that waits
        return outcome

    async def _committed(
        self, connection: Connection, message: Message, post: Post, turn: Turn, answered: Answered
    ) -> bool:
        """Store what a turn came to, with all that follows from it; False when it may not be."""
        outcome = answered.outcome
        async with connection.transaction():
            if not await sessions.commit(
                connection, post, turn, outcome, answered.steps, answered.events
            ):
                return False
            if outcome.stop_reason == "no_match" and outcome.searched:
                await tell_owners(connection, self._queue, "no_match", turn.id, post.team, outcome)
            if message.kind == "alert":
                await answered_alert(connection, message)
            elif self._mind and learning.is_due(outcome, message.text):
                await self._queue.later(connection, learning.TASK, turn=turn.id)
        return True

    async def _work(
        self,
        connection: Connection,
        message: Message,
        post: Post,
        progress: Progress,
        steps: list["Step"],
    ) -> Answered:
        """Answer a message, or do what it asks of the memory."""
        asked = await narrowed(connection, message)
        owner = Owner(post.team, post.author)
        if self._mind and not asked.quickly and (said := saying(asked.question.text)):
            sentence = await self._mind.keeper.do(owner, said, post.session)
            return Answered(Outcome(stop_reason="noted", notes=(sentence,)))
        if asked.problems:  # a filter that nobody knows is no reason to search something else
            return Answered(Outcome(stop_reason="no_match", notes=asked.problems))
        if await session_log.context_due(connection, post.session):
            context = await self._joining.context(post) if post.ts != post.root_ts else ()
            await session_log.keep_context(connection, post.session, context)
        if asked.quickly:
            place = Thread(team=post.team, channel=post.channel)
            found = await self._agent.quoting().answer(asked.question, place, steps=steps)
            notes = (_WATCHED, *found.outcome.notes)
            return replace(found, outcome=replace(found.outcome, notes=notes))
        person = await self._mind.person(post.author) if self._mind else None
        who = asker(person, post.channel) if person else None
        place = Thread(team=post.team, channel=post.channel, asker=who)

        async def load() -> Thread:
            window = await sessions.window(connection, post.session)
            earlier = tuple(parse(each).text for each in topics(window))
            return replace(place, earlier=earlier, window=window)

        answered = await self._agent.answer(
            asked.question,
            place,
            load=load,
            recall=partial(self._mind.recall, owner) if self._mind else None,
            progress=progress,
            steps=steps,
        )
        outcome = replace(answered.outcome, asker=post.author if answered.outcome.memories else "")
        return replace(answered, outcome=outcome)


def _is_awaited(message: Message) -> bool:
    """Tell whether somebody waits for a reply, whatever it says."""
    if message.kind == "reply":
        return is_question(message.text)
    return message.kind not in {"question", "alert"}


def _noise(message: Message, outcome: Outcome) -> str | None:
    """Return why an outcome is better kept back: nobody has asked the bot for it."""
    match message.kind:
        case "reply" if outcome.stop_reason == "no_match" and not is_question(message.text):
            return "not_a_question"  # people were talking
        case "question" if outcome.stop_reason != "cited":
            return outcome.stop_reason
        case "alert" if outcome.stop_reason not in {"cited", "uncited"}:
            return outcome.stop_reason
        case _:
            return None


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
    )
