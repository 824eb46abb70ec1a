"""Votes on answers, and what was wrong with them. The last vote of a person counts."""

import re
from collections.abc import Mapping
from typing import Any

import structlog
from psycopg_pool import PoolTimeout
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import answers, feedback
from bot.inbox import Connection
from bot.jobs import DATABASE_ERRORS
from bot.listeners.clicks import Click, keep
from bot.listeners.forms import entered
from bot.listeners.modals import GONE, open_view
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.telling import DATABASE_DOWN, notice_view, tell
from bot.replies.correction import FORM, correction_form, place_of
from bot.replies.ids import CORRECT, VOTE

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.listeners")
_THANKS = "Noted, thank you. You may change your mind: your last vote counts."
_KEPT = "Thank you: it is kept with this answer, for whoever looks after the runbooks."


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the listeners to the app."""

    @app.action(re.compile(re.escape(VOTE)))
    async def vote(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        click = Click.of(body, action)
        turn, _, word = click.value.partition(":")

        async def work(connection: Connection) -> bool:
            answer = await answers.seen(connection, turn, click.team, click.channel, click.user)
            if answer is not None:
                await feedback.vote(
                    connection, parts.queue, answer, click.user, helpful=word == "up"
                )
            return answer is not None

        kept = await keep(parts, ack, respond, work)
        if kept is None:
            return
        _LOG.info("voted", turn=turn, helpful=word == "up", kept=kept)
        if kept and word != "up":
            form = correction_form(turn, click.channel)
            await open_view(parts.client, click.trigger, respond, form)
        await tell(respond, _THANKS if kept else GONE)

    @app.action(CORRECT)
    async def correct(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await ack()
        click = Click.of(body, action)
        form = correction_form(click.value, click.channel)
        await open_view(parts.client, click.trigger, respond, form)

    @app.view(FORM)
    async def corrected(ack: AsyncAck, body: Mapping[str, Any], view: Mapping[str, Any]) -> None:
        await ack(**await _corrected(parts, body, view))

    del vote, correct, corrected  # Bolt has them


async def _corrected(
    parts: Parts, body: Mapping[str, Any], view: Mapping[str, Any]
) -> dict[str, Any]:
    """Keep a filled form; returns what the acknowledgement says."""
    turn, channel = place_of(view)
    reason = next(iter(entered(view, "reason")), None)
    words = next(iter(entered(view, "correction")), "")
    try:
        async with (
            parts.pool.connection(timeout=POOL_SECONDS) as connection,
            connection.transaction(),
        ):
            team, person = str(body["team"]["id"]), str(body["user"]["id"])
            answer = await answers.seen(connection, turn, team, channel, person)
            if answer is not None:
                await feedback.correct(connection, answer, person, reason, words)
    except (*DATABASE_ERRORS, PoolTimeout) as error:
        _LOG.warning("correction_not_kept", error=type(error).__name__)
        return {"response_action": "errors", "errors": {"correction": DATABASE_DOWN}}
    if answer is None:
        return {"response_action": "update", "view": notice_view("Correct this", GONE)}
    _LOG.info("corrected", turn=turn, reason=reason)
    return {"response_action": "update", "view": notice_view("Correct this", _KEPT)}
