"""`/footnote settings`: the form of a channel, and with a name the form of a service."""

from collections.abc import Mapping
from typing import Any, Final

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import channel_settings, service_settings
from bot.filters import known, problems
from bot.jobs import DATABASE_ERRORS
from bot.listeners.bots import bots_of
from bot.listeners.command import Command, Said
from bot.listeners.forms import form, section
from bot.listeners.modals import open_view, update_view
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.settings_views import (
    MODE,
    ONCALL,
    channel_entered,
    channel_fields,
    channel_problems,
    service_entered,
    service_fields,
    service_problems,
)
from bot.listeners.telling import DATABASE_DOWN, notice_view
from bot.mrkdwn import escape, one_line
from bot.policy import refusal
from bot.question import Question
from retrieval.shelf import kinds

__all__ = ["open_settings", "register"]

_LOG = structlog.get_logger("footnote.listeners")
_CHANNEL: Final = "footnote:settings:channel"
_SERVICE: Final = "footnote:settings:service"


def register(app: AsyncApp, parts: Parts) -> None:
    """Add what the forms bring."""

    @app.view(_CHANNEL)
    async def channel(ack: AsyncAck, view: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        team, where = str(body["team"]["id"]), str(view["private_metadata"])
        wrong = channel_problems(view)
        if not wrong:
            wrong = await _kept(parts, body, MODE, team, where, view)
        await _end(ack, wrong, "This channel", f"Saved. <#{where}> is set so from now on.")

    @app.view(_SERVICE)
    async def service(ack: AsyncAck, view: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        team, name = str(body["team"]["id"]), str(view["private_metadata"])
        wrong = service_problems(view)
        if not wrong:
            wrong = await _kept(parts, body, ONCALL, team, name, view)
        await _end(ack, wrong, "Service", f"Saved. {one_line(name)} is set so from now on.")

    del channel, service  # Bolt has them


async def open_settings(parts: Parts, command: Command) -> Said:
    """Open the form of this channel, or of the service named behind the verb."""
    person = await parts.people.person(command.user)
    if refused := refusal(person, "settings", parts.settings.rules):
        return Said(refused)
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        there = known(await kinds(connection, command.team, (command.channel,)))
        if command.words:
            name = command.words.lower().removeprefix("service:").strip('"“”')
            wrong = problems("", Question("", (name,)), there)
            if wrong:
                return Said(escape(" ".join(wrong)))
            held = await service_settings.read(connection, command.team, name)
            view = form(_SERVICE, "Service", service_fields(name, held), about=name)

            async def open_service(respond: AsyncRespond) -> None:
                await open_view(parts.client, command.trigger, respond, view)

            return Said(f"Settings of {escape(name)}.", then=open_service)
        now = await channel_settings.read(connection, command.team, command.channel)

    async def open_channel(respond: AsyncRespond) -> None:
        # Who posts here takes a while to find out, and the trigger doesn't wait for it.
        waiting = form(_CHANNEL, "This channel", [section("One moment …")])
        opened = await open_view(parts.client, command.trigger, respond, waiting)
        if opened is None:
            return
        seen = await bots_of(parts.client, command.channel, now.bots, parts.identity.bot_id)
        fields = channel_fields(now, there, seen)
        view = form(_CHANNEL, "This channel", fields, about=command.channel)
        await update_view(parts.client, opened, view)

    return Said("Settings of this channel.", then=open_channel)


async def _kept(  # noqa: PLR0913, PLR0917  # who, what, where, and the field for a refusal
    parts: Parts,
    body: Mapping[str, Any],
    block: str,
    team: str,
    name: str,
    view: Mapping[str, Any],
) -> dict[str, str]:
    """Store what was entered; returns what is wrong, by field."""
    user = str(body["user"]["id"])
    person = await parts.people.person(user)
    if refused := refusal(person, "settings", parts.settings.rules):
        return {block: refused}
    try:
        async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
            if block == MODE:
                chosen = channel_entered(view)
                await channel_settings.write(connection, team, name, chosen, user)
            else:
                held = service_entered(view)
                await service_settings.write(connection, team, name, held, user)
    except DATABASE_ERRORS as error:
        _LOG.warning("settings_failed", error=type(error).__name__)
        return {block: DATABASE_DOWN}
    _LOG.info("settings_changed", of=name, user=user)
    return {}


async def _end(ack: AsyncAck, wrong: dict[str, str], title: str, saved: str) -> None:
    """Say what is wrong with which field, or that all is kept."""
    if wrong:
        await ack(response_action="errors", errors=wrong)
    else:
        await ack(response_action="update", view=notice_view(title, saved))
