"""Slash commands. Each is stored in one transaction, then acknowledged with a sentence."""

import re
from collections.abc import Mapping
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.asking import Asking
from bot.events import Incoming, strip_mention
from bot.jobs import DATABASE_ERRORS
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.mrkdwn import escape
from bot.narrowing import misnamed
from bot.question import parse

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.commands")
_USAGE = (
    "Ask like this: `/ask why are card payments failing service:payments type:runbook`."
    " The filters are optional; with `-q` before the question only you see the answer."
)
_LOOKING = "I'm looking. Only you will see the answer."
# Phones and editors make a dash of two hyphens.
_QUIET = re.compile(r"\s*[-–—]{1,2}q(?:uiet)?(?!\S)\s*", re.IGNORECASE)
_DATABASE_DOWN = (
    "I can't reach my database, so I couldn't take your question. Please ask again in a minute."
)


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the slash commands to the app."""

    @app.command("/ask")
    async def ask(ack: AsyncAck, command: Mapping[str, Any]) -> None:
        text = strip_mention(str(command.get("text") or ""), parts.identity.bot_user)
        quiet = _QUIET.match(text)
        text = text[quiet.end() :] if quiet else text
        question = parse(text)
        if not question.text:
            await ack(_USAGE)
            return
        name = f"command:{command['trigger_id']}"
        message = Incoming(
            event_id=name,
            kind="quiet" if quiet else "command",
            team=str(command["team_id"]),
            channel=str(command["channel_id"]),
            ts=name if quiet else "",  # nothing is posted that would have one
            root_ts=name,
            author=str(command["user_id"]),
            text=question.text,
            services=question.services,
            doc_types=question.doc_types,
            response_url=command.get("response_url"),
        )
        asking = Asking(parts.people.person, parts.settings.rules)
        if sorry := await asking.refusal(message.author):
            await ack(sorry)
            return
        try:
            async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
                wrong = await misnamed(connection, message.team, message.channel, text, question)
            if wrong:
                await ack(escape(" ".join(wrong)))
                return
            await parts.intake.accept(message)
        except DATABASE_ERRORS as error:
            _LOG.warning("command_not_accepted", error=type(error).__name__)
            await ack(_DATABASE_DOWN)
            return
        await ack(_LOOKING if quiet else "")

    del ask  # Bolt has it
