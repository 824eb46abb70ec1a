"""From a message that is answered to a committed outcome, or to a reason why there is none."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog

from bot import inbox, session_log, sessions, sharing
from bot.agent import Agent, Answered, Thread
from bot.asker import asker
from bot.feedback import tell_owners
from bot.gate import is_question
from bot.inbox import Connection, Message, Why
from bot.jobs import Queue
from bot.joining import Joining
from bot.listening import answered_alert
from bot.memory import Owner, learning
from bot.memory.mind import Mind
from bot.memory.sayings import saying, veiled
from bot.metrics import Metrics
from bot.narrowing import narrowed
from bot.outcome import Outcome, StopReason
from bot.pointer import Pointer
from bot.question import parse
from bot.reasoner import Progress, silent
from bot.running import Running, Unwanted
from bot.sessions import Post, Turn
from bot.steps import heard_step
from bot.voice import Heard
from bot.window import topics

if TYPE_CHECKING:
    from bot.steps import Step

__all__ = ["Thinking"]

_LOG = structlog.get_logger("footnote.thinking")
_TOLD: Final[Mapping[Why, StopReason]] = {"stopped": "cancelled", "superseded": "superseded"}
"""How a turn ends that nobody wants any more, where its thread is told so."""

_WATCHED = "I looked this up because alert watch is on in this channel."


class Thinking:
    """Answers messages on the connection that holds their session's lock.

    `attempts`: tries at answering before the outcome is `error`.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # what an answer takes comes together here
        self,
        queue: Queue,
        agent: Agent,
        running: Running,
        joining: Joining,
        attempts: int,
        mind: Mind,
        metrics: Metrics,
    ) -> None:
        self._queue = queue
        self._agent = agent
        self._running = running
        self._joining = joining
        self._attempts = attempts
        self._mind = mind
        self._metrics = metrics

    async def think(
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
        if message.attempts > self._attempts:
            incident = secrets.token_hex(4)
            _LOG.error("turn_given_up", turn=turn.id, session=post.session, incident=incident)
            answered = Answered(Outcome(stop_reason="error", incident=incident))
        elif message.kind == "share" and (given := await sharing.shared(connection, message)):
            answered = given
        else:  # a share, too, whose answer may not be shown by now: its question is posted

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
                if unwanted.why not in _TOLD:
                    async with connection.transaction():
                        await sessions.keep_steps(connection, turn, steps)
                        await inbox.end(connection, message, "ignored", unwanted.why)
                    return None
                answered = Answered(Outcome(stop_reason=_TOLD[unwanted.why]), tuple(steps))
        if message.heard is not None:
            answered = _with_heard(answered, message, message.heard)
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
        self._metrics.stages(answered.steps)
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
            told = message.kind != "quiet" and bool(outcome.searched)
            if outcome.stop_reason == "no_match" and told:
                await tell_owners(connection, self._queue, "no_match", turn.id, post.team, outcome)
            if message.kind == "alert":
                await answered_alert(connection, message)
            elif message.kind != "share" and learning.is_due(outcome, message.text):
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
        if message.heard is not None and not message.text:
            return Answered(Outcome(stop_reason="unheard", notes=(message.heard.problem,)))
        asked = await narrowed(connection, message)
        owner = Owner(post.team, post.author)
        if not asked.quickly and (said := saying(asked.question.text)):
            sentence = await self._mind.keeper.do(owner, said, post.session)
            return Answered(Outcome(stop_reason="noted", notes=(sentence,)))
        if asked.problems:  # a filter that nobody knows is no reason to search something else
            return Answered(
                Outcome(stop_reason="no_match", notes=asked.problems, offers=asked.offers)
            )
        if await session_log.context_due(connection, post.session):
            context = await self._joining.context(post) if post.ts != post.root_ts else ()
            await session_log.keep_context(connection, post.session, context)
        if asked.quickly:
            place = Thread(team=post.team, channel=post.channel)
            found = await self._agent.quoting().answer(asked.question, place, steps=steps)
            notes = (_WATCHED, *found.outcome.notes)
            return replace(found, outcome=replace(found.outcome, notes=notes))
        place = Thread(team=post.team, channel=post.channel)

        async def load() -> Thread:
            window = await sessions.window(connection, post.session)
            earlier = tuple(parse(each).text for each in topics(window))
            called = await self._mind.place(post.channel)
            who = asker(await self._mind.person(post.author), called)
            return replace(place, earlier=earlier, window=window, asker=who)

        answered = await self._agent.answer(
            asked.question,
            place,
            load=load,
            recall=partial(self._mind.recall, owner),
            progress=progress,
            steps=steps,
        )
        outcome = replace(answered.outcome, asker=post.author if answered.outcome.memories else "")
        return replace(answered, outcome=outcome)


def _with_heard(answered: Answered, message: Message, heard: Heard) -> Answered:
    """Say in an outcome what was heard, except what was told to the memory alone."""
    said = saying(parse(message.text).text)
    outcome = replace(answered.outcome, heard=veiled(said) if said else heard.words)
    if heard.problem and outcome.stop_reason != "unheard":  # something was written beside it
        outcome = replace(outcome, notes=(*outcome.notes, heard.problem))
    return replace(answered, outcome=outcome, steps=(heard_step(heard), *answered.steps))


def _is_awaited(message: Message) -> bool:
    """Tell whether somebody waits for a reply, whatever it says."""
    if message.kind == "reply":
        return is_question(message.text)
    return message.kind not in {"question", "alert", "quiet"}


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
