"""`/filter`: a channel's sticky filter, which holds for each question that names none itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import channel_settings
from bot.events import strip_mention
from bot.filters import Known, known, problems, written
from bot.inbox import Connection
from bot.jobs import DATABASE_ERRORS
from bot.listeners.forms import Block, choices, entered, field, form, section
from bot.listeners.modals import open_view
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.telling import DATABASE_DOWN
from bot.mrkdwn import escape
from bot.policy import refusal
from bot.question import Question, parse
from retrieval.shelf import kinds

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.listeners")
_FORM: Final = "footnote:filter:form"
_CLEAR: Final = frozenset({"clear", "off", "none", "reset", "all", "everything"})
_USAGE: Final = (
    "Write it like `/filter service:payments type:runbook`, or `/filter clear` for everything."
)
_NO_DOCUMENTS: Final = "There are no documents here yet, so there is nothing to filter by."


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a filter is set, and by whom."""

    team: str
    channel: str
    user: str


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the command and its form."""

    @app.command("/filter")
    async def command(ack: AsyncAck, command: Mapping[str, Any], respond: AsyncRespond) -> None:
        text = strip_mention(str(command.get("text") or ""), parts.identity.bot_user)
        place = _Place(command["team_id"], command["channel_id"], command["user_id"])
        try:
            if text and text.lower() != "show":
                answer, public = await _change(parts, place, text)
                await ack(answer, response_type="in_channel" if public else "ephemeral")
                return
            shown, view = await _show(parts, place)
        except DATABASE_ERRORS as error:
            _LOG.warning("filter_failed", error=type(error).__name__)
            await ack(DATABASE_DOWN)
            return
        await ack(shown)
        if view is not None:
            await open_view(parts.client, command["trigger_id"], respond, view)

    @app.view(_FORM)
    async def submitted(ack: AsyncAck, view: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        place = _Place(body["team"]["id"], view["private_metadata"], body["user"]["id"])
        chosen = Question("", tuple(entered(view, "services")), tuple(entered(view, "types")))
        try:
            async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
                wrong = await _refused(parts, place.user)
                if wrong is None:
                    await _set(connection, place, chosen)
        except DATABASE_ERRORS as error:
            _LOG.warning("filter_failed", error=type(error).__name__)
            wrong = DATABASE_DOWN
        if wrong is not None:
            await ack(response_action="errors", errors={"services": wrong})
            return
        await ack()

    del command, submitted  # Bolt has them


async def _show(parts: Parts, place: _Place) -> tuple[str, Block | None]:
    """Return what is set in a channel, and a form to change it for whoever may."""
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        there = known(await kinds(connection, place.team, (place.channel,)))
        settings = await channel_settings.read(connection, place.team, place.channel)
    held = written(settings.services, settings.doc_types)
    shown = f"Searched here: {f'`{escape(held)}`' if held else 'everything'}. {_USAGE}"
    if not there.services:
        return f"{shown} {_NO_DOCUMENTS}", None
    if await _refused(parts, place.user):
        return shown, None
    return shown, _form(place.channel, there, settings.services, settings.doc_types)


def _form(channel: str, there: Known, services: Sequence[str], doc_types: Sequence[str]) -> Block:
    # What is set but has no documents any more is offered too, so that saving doesn't lose it.
    offered = {
        "services": choices("services", sorted({*there.services, *services}), services),
        "types": choices("types", sorted({*there.doc_types, *doc_types}), doc_types),
    }
    labels = {"services": "Services", "types": "Types of document"}
    fields = [
        field(name, labels[name], element, "Nothing chosen: all of them.")
        for name, element in offered.items()
        if element is not None
    ]
    intro = section("Questions asked here search only these, unless they name others themselves.")
    return form(_FORM, "Filter of this channel", [intro, *fields], about=channel)


async def _change(parts: Parts, place: _Place, text: str) -> tuple[str, bool]:
    """Do what was written; returns the answer, and whether everybody gets to see it."""
    if wrong := await _refused(parts, place.user):
        return wrong, False
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        if text.lower() in _CLEAR:
            await _set(connection, place, Question(""))
            return f"<@{place.user}> cleared the filter: everything is searched here now.", True
        asked = parse(text)
        there = known(await kinds(connection, place.team, (place.channel,)))
        wrong = " ".join(problems(text, asked, there)) or _stray(asked, there)
        if wrong:
            return escape(wrong), False
        if not there.services:
            return _NO_DOCUMENTS, False
        await _set(connection, place, asked)
    held = escape(written(asked.services, asked.doc_types))
    return f"<@{place.user}> set the filter: `{held}` is searched here now.", True


def _stray(asked: Question, there: Known) -> str:
    """Return a sentence about words that are no filter; empty when there are none."""
    if not asked.text:
        return ""
    words = [each.lower() for each in asked.text.split()]
    services = [each for each in words if each in there.services]
    doc_types = [each for each in words if each in there.doc_types]
    if len(services) + len(doc_types) < len(words):
        return f"I can't read “{asked.text[:80]}” as a filter. {_USAGE}"
    meant = written((*asked.services, *services), (*asked.doc_types, *doc_types))
    return f"Did you mean `/filter {meant}`?"


async def _set(connection: Connection, place: _Place, chosen: Question) -> None:
    await channel_settings.set_filter(
        connection, place.team, place.channel, chosen.services, chosen.doc_types, place.user
    )
    _LOG.info("filter_set", channel=place.channel, user=place.user)


async def _refused(parts: Parts, user: str) -> str | None:
    person = await parts.people.person(user)
    return refusal(person, "settings", parts.settings.rules)
