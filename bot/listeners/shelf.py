"""`/footnote documents`: pages of what may be found in a channel, each with Refresh and Delete."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import aiohttp
import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackClientError

from bot import channel_settings
from bot.inbox import Connection
from bot.knowledge import requests
from bot.knowledge.listing import (
    DELETE,
    PAGE,
    PER_PAGE,
    REFRESH,
    Spot,
    no_refresh,
    render_documents,
)
from bot.knowledge.requests import Asked, Listed, Wanted
from bot.knowledge.task import INGEST
from bot.listeners.clicks import Click, keep
from bot.listeners.command import Command, Said
from bot.listeners.documents import GONE, remove
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.rights import refused
from bot.listeners.telling import tell
from bot.mrkdwn import one_line
from bot.policy import refusal
from bot.replies import Reply

__all__ = ["documents", "register"]

_LOG = structlog.get_logger("footnote.knowledge")
_SLACK: Final = (aiohttp.ClientError, TimeoutError, SlackClientError)
_RUNNING: Final = "It is being fetched already: what comes of it will stand in this channel."

type Done = Reply | str
"""The list as it is now, to replace what was clicked; or a sentence to say below it."""


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the buttons of the list."""

    async def clicked(
        work: Callable[[Parts, Connection, Click, Mapping[str, Any]], Awaitable[Done]],
        ack: AsyncAck,
        body: Mapping[str, Any],
        action: Mapping[str, Any],
        respond: AsyncRespond,
    ) -> None:
        click = Click.of(body, action)
        done = await keep(
            parts, ack, respond, lambda connection: work(parts, connection, click, body)
        )
        if isinstance(done, str):
            await tell(respond, done)
        elif done is not None:
            await _replace(respond, done)

    @app.action(re.compile(f"^{PAGE}:(?:newer|older)$"))
    async def page(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await clicked(_page, ack, body, action, respond)

    @app.action(REFRESH)
    async def refresh(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await clicked(_refresh, ack, body, action, respond)

    @app.action(DELETE)
    async def delete(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await clicked(_delete, ack, body, action, respond)

    del page, refresh, delete  # Bolt has them


async def documents(parts: Parts, command: Command) -> Said:
    """Say what is searched in this channel; words behind the verb look for titles and labels."""
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        sentence = await refused(
            parts,
            connection,
            "ask",
            team=command.team,
            channel=command.channel,
            user=command.user,
        )
        if sentence:
            return Said(sentence)
        spot = Spot(words=" ".join(command.words.split())[:80])
        found = await _list(parts, connection, command.team, command.channel, command.user, spot)
    return Said(found.text, found.blocks)


async def _list(  # noqa: PLR0913, PLR0917  # who looks, where, and at which page
    parts: Parts,
    connection: Connection,
    team: str,
    channel: str,
    user: str,
    spot: Spot,
    told: str = "",
) -> Reply:
    listed = await requests.visible(
        connection,
        team,
        channel,
        words=spot.words or None,
        most=PER_PAGE + 1,
        skip=spot.page * PER_PAGE,
    )
    person = await parts.people.person(user)
    settings = await channel_settings.read(connection, team, channel)
    rules = settings.rules(parts.settings.rules)
    deletable = {
        each.id for each in listed if refusal(person, "delete", rules, owner=each.author) is None
    }
    return render_documents(listed, spot, deletable, told)


async def _page(
    parts: Parts, connection: Connection, click: Click, _body: Mapping[str, Any]
) -> Done:
    """Turn the page."""
    sentence = await refused(
        parts, connection, "ask", team=click.team, channel=click.channel, user=click.user
    )
    if sentence:
        return sentence
    spot = Spot.of(click.value)
    return await _list(parts, connection, click.team, click.channel, click.user, spot)


async def _refresh(
    parts: Parts, connection: Connection, click: Click, body: Mapping[str, Any]
) -> Done:
    """Have a document fetched again from where it came; its receipt stands in the channel."""
    found = await _one(connection, click)
    if found is None:
        return GONE
    sentence = no_refresh(found) or await refused(
        parts, connection, "ingest", team=click.team, channel=click.channel, user=click.user
    )
    if sentence:
        return sentence
    if await requests.refreshing(connection, found.id):
        return _RUNNING
    asked = Asked(
        id=f"refresh:{found.id}:{click.at}",
        team=click.team,
        channel=click.channel,
        author=click.user,
        seen_by="channel" if found.audience else "workspace",
        service=found.service,
        doc_type=found.doc_type,
        response_url=body.get("response_url"),
        refreshes=found.id,
    )
    await requests.accept(connection, asked, [Wanted("url", found.location or "")])
    await parts.queue.later(connection, INGEST, request=asked.id)
    _LOG.info("refresh_accepted", request=asked.id, document=found.id)
    title = one_line(found.title, 100)
    return f"I'm fetching “{title}” again: what comes of it will stand in this channel."


async def _delete(
    parts: Parts, connection: Connection, click: Click, _body: Mapping[str, Any]
) -> Done:
    """Delete a document, and show the page without it."""
    found = await _one(connection, click)
    if found is not None:
        sentence = await remove(parts, connection, click.team, click.channel, click.user, found.id)
        if sentence:
            return sentence
    spot = Spot.of(click.value)
    told = (
        f"Deleted: “{one_line(found.title, 100)}” is no longer found or cited." if found else GONE
    )
    return await _list(parts, connection, click.team, click.channel, click.user, spot, told)


async def _one(connection: Connection, click: Click) -> Listed | None:
    """Return the document that a click is about, if it may be seen where it was clicked."""
    document = Spot.of(click.value).document
    found = await requests.visible(connection, click.team, click.channel, document=document, most=1)
    return found[0] if found else None


async def _replace(respond: AsyncRespond, reply: Reply) -> None:
    """Show something else in the message that was clicked, which only one person sees."""
    try:
        await respond(text=reply.text, blocks=reply.blocks, replace_original=True)
    except _SLACK as error:
        _LOG.warning("list_not_replaced", error=type(error).__name__)
