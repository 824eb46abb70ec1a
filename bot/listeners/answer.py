"""What an answer can show of itself: a chunk in full, and why it is what it is."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from psycopg_pool import PoolTimeout
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import answers
from bot.inbox import Connection
from bot.jobs import DATABASE_ERRORS
from bot.listeners.clicks import Click
from bot.listeners.modals import GONE, open_view, update_view
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.telling import DATABASE_DOWN, notice_view
from bot.replies.chunk import chunk_view
from bot.replies.ids import CHUNK, WHY
from bot.replies.why import why_view
from bot.why import read as read_why

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.listeners")
_SECONDS = 5.0  # that a modal stays empty

type View = dict[str, Any]


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the listeners to the app."""

    @app.action(CHUNK)
    async def chunk(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await ack()
        await _show(parts, Click.of(body, action), respond, _chunk)

    @app.action(WHY)
    async def why(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await ack()
        await _show(parts, Click.of(body, action), respond, _why)

    del chunk, why  # Bolt has them


async def _show(
    parts: Parts,
    click: Click,
    respond: AsyncRespond,
    make: Callable[[Connection, Click], Awaitable[View | None]],
) -> None:
    """Open a modal, then fill it with what the place of the click may see."""
    if (view_id := await open_view(parts.client, click.trigger, respond)) is None:
        return
    try:
        async with (
            asyncio.timeout(_SECONDS),
            parts.pool.connection(timeout=POOL_SECONDS) as connection,
        ):
            view = await make(connection, click) or notice_view("Footnote", GONE)
    except (*DATABASE_ERRORS, PoolTimeout, TimeoutError) as error:
        _LOG.warning("modal_without_database", error=type(error).__name__)
        view = notice_view("Footnote", DATABASE_DOWN)
    await update_view(parts.client, view_id, view)


async def _chunk(connection: Connection, click: Click) -> View | None:
    turn, _, marker = click.value.partition(":")
    answer = await answers.seen(connection, turn, click.team, click.channel, click.user)
    if answer is None or not (marker.isascii() and marker.isdigit()):
        return None
    passage = answer.cited(int(marker))
    return chunk_view(int(marker), passage) if passage else None


async def _why(connection: Connection, click: Click) -> View | None:
    answer = await answers.seen(connection, click.value, click.team, click.channel, click.user)
    return why_view(await read_why(connection, answer)) if answer else None
