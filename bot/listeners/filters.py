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
from bot.listeners.clicks import in_time
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


@dataclass(frozen=True, slots=True)
class _Said:
    """What the command says, to everybody when it changed something; and a form to change it."""

    text: str
    view: Block | None = None
    public: bool = False


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the command and its form."""

    @app.command("/filter")
    async def command(ack: AsyncAck, command: Mapping[str, Any], respond: AsyncRespond) -> None:
        text = strip_mention(str(command.get("text") or ""), parts.identity.bot_user)
        place = _Place(command["team_id"], command["channel_id"], command["user_id"])
        changes = bool(text) and text.lower() != "show"
        async with in_time(
            lambda: _change(parts, place, text) if changes else _show(parts, place)
        ) as done:
            said = done[0] if done else _Said(DATABASE_DOWN)
            await ack(said.text, response_type="in_channel" if said.public else "ephemeral")
            if said.view is not None:
                await open_view(parts.client, command["trigger_id"], respond, said.view)

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


async def _show(parts: Parts, place: _Place) -> _Said:
    """Say what is set in a channel, and a form to change it for whoever may."""
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        there = known(await kinds(connection, place.team, (place.channel,)))
        settings = await channel_settings.read(connection, place.team, place.channel)
    held = written(settings.services, settings.doc_types)
    shown = f"Searched here: {f'`{escape(held)}`' if held else 'everything'}. {_USAGE}"
    if not there.services:
        return _Said(f"{shown} {_NO_DOCUMENTS}")
    if await _refused(parts, place.user):
        return _Said(shown)
    view = _form(place.channel, there, settings.services, settings.doc_types)
    return _Said(shown, view)


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


async def _change(parts: Parts, place: _Place, text: str) -> _Said:
    """Do what was written."""
    if wrong := await _refused(parts, place.user):
        return _Said(wrong)
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        if text.lower() in _CLEAR:
            await _set(connection, place, Question(""))
            cleared = f"<@{place.user}> cleared the filter: everything is searched here now."
            return _Said(cleared, public=True)
        asked = parse(text)
        there = known(await kinds(connection, place.team, (place.channel,)))
        wrong = " ".join(problems(text, asked, there)) or _stray(asked, there)
        if wrong:
            return _Said(escape(wrong))
        if not there.services:
            return _Said(_NO_DOCUMENTS)
        await _set(connection, place, asked)
    held = escape(written(asked.services, asked.doc_types))
    return _Said(f"<@{place.user}> set the filter: `{held}` is searched here now.", public=True)


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
