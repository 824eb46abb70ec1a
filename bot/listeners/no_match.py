"""The buttons below a NO_MATCH: search elsewhere, ask a person, write it down. Twice is as once."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import answers, around, notices
from bot.events import Incoming
from bot.filters import Known, known, only_known
from bot.listeners.clicks import Click, attempt
from bot.listeners.modals import GONE
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.telling import tell
from bot.question import Question, parse
from bot.replies.ids import EVERYWHERE, MEANT, ONCALL
from retrieval.shelf import kinds

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.listeners")
_ALL = ("all",)  # as in `service:all`


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the listeners to the app."""

    def button(name: str | re.Pattern[str], work: Callable[[Parts, Click], Awaitable[str]]) -> None:
        @app.action(name)
        async def clicked(
            ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
        ) -> None:
            click = Click.of(body, action)
            if said := await attempt(ack, respond, lambda: work(parts, click)):
                await tell(respond, said)

        del clicked  # Bolt has it

    button(EVERYWHERE, _ask_everywhere)
    button(re.compile(rf"^{MEANT}:\d+$"), _ask_as_meant)
    button(ONCALL, _ask_oncall)


async def _ask_everywhere(parts: Parts, click: Click) -> str:
    """Ask a turn's question again without its filters; returns what to tell whoever clicked."""
    everything = Question("", _ALL, _ALL)
    return await _ask_again(
        parts, click, click.value, "everywhere", lambda _there, _asked: everything
    )


async def _ask_as_meant(parts: Parts, click: Click) -> str:
    """Ask a turn's question again with a filter that was offered, beside those that are known."""
    turn, _, offered = click.value.partition(":")
    chosen = parse(offered)

    def meant(there: Known, asked: Question) -> Question:
        return only_known(asked, there).narrowed(chosen.services, chosen.doc_types)

    return await _ask_again(parts, click, turn, offered, meant)


async def _ask_again(
    parts: Parts, click: Click, turn: str, how: str, narrow: Callable[[Known, Question], Question]
) -> str:
    """Ask a turn's question again, narrowed otherwise; returns what to tell whoever clicked."""
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        answer = await answers.seen(connection, turn, click.team, click.channel, click.user)
        if answer is None:
            return GONE
        there = known(await kinds(connection, click.team, (click.channel,)))
    asked = narrow(there, parse(answer.question))
    name = f"click:{answer.id}:{how}"  # whoever clicks, and however often
    quiet = answer.only_for is not None
    new = await parts.intake.accept(
        Incoming(
            event_id=name,
            kind="quiet" if quiet else "click",
            team=answer.team,
            channel=answer.channel,
            ts=name if quiet else click.at,
            root_ts=name if quiet else answer.root_ts,
            author=click.user,
            text=parse(answer.question).text,
            services=asked.services,
            doc_types=asked.doc_types,
            response_url=click.response_url,
        )
    )
    _LOG.info("asked_again", turn=answer.id, new=new)
    return "" if new else "That was searched already; the answer is above."


async def _ask_oncall(parts: Parts, click: Click) -> str:
    """Have the on-call told of a turn's question; returns what to tell whoever clicked."""
    async with (
        parts.pool.connection(timeout=POOL_SECONDS) as connection,
        connection.transaction(),
    ):
        answer = await answers.seen(connection, click.value, click.team, click.channel, click.user)
        if answer is None or answer.only_for is not None:  # it stands in no thread to point to
            return GONE
        target = await around.oncall_of(connection, answer.team, answer.channel, answer.read())
        if target is None:
            return "Nobody is set to be on call for this service any more."
        new = await notices.add(connection, parts.queue, "oncall", answer.id, target, click.user)
    return "The on-call is being asked." if new else "The on-call was asked already."
