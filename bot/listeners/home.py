"""The Home tab, made anew for a person each time they open it, of what that person may see."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import aiohttp
import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot import channel_settings
from bot.home import home_view
from bot.home.channels import channels_section
from bot.home.documents import documents_section, latest_section
from bot.jobs import DATABASE_ERRORS
from bot.listeners.forms import Block, section
from bot.listeners.gaps import gaps_for
from bot.listeners.memory_home import memories_for
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.listeners.telling import DATABASE_DOWN
from bot.policy import refusal
from retrieval.errors import QueryFailed
from retrieval.shelf import kinds, latest

__all__ = ["MORE", "publish", "register"]

_LOG = structlog.get_logger("footnote.home")
_SLACK: Final = (SlackClientError, aiohttp.ClientError, TimeoutError)
_LATEST: Final = 10
_PAGES: Final = 5
_SECONDS: Final = 8.0

type More = Callable[[Parts, str], Awaitable[Sequence[Block]]]

MORE: tuple[More, ...] = (memories_for, gaps_for)
"""Sections of other features: each gets the parts and the user, and may see what that user may."""


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the listener."""

    @app.event("app_home_opened")
    async def opened(event: Mapping[str, Any]) -> None:
        if event.get("tab") != "home":
            return
        await publish(parts, str(event["user"]), str(event.get("channel") or ""))

    del opened  # Bolt has it


async def publish(parts: Parts, user: str, direct: str = "") -> None:
    """Show a person their Home tab as it is now; `direct` is their channel with the bot."""
    try:
        view = home_view(await _sections(parts, user, direct))
    except (*DATABASE_ERRORS, QueryFailed) as error:
        _LOG.warning("home_failed", error=type(error).__name__)
        view = home_view([[section(DATABASE_DOWN)]])
    try:
        await parts.client.views_publish(user_id=user, view=view)
    except _SLACK as error:
        _LOG.warning("home_not_published", error=type(error).__name__)


async def _sections(parts: Parts, user: str, direct: str) -> list[Sequence[Block]]:
    person = await parts.people.person(user)
    if refused := refusal(person, "ask", parts.settings.rules):
        return [[section(refused)]]
    team = parts.identity.team
    private, public = await _channels(parts.client, user)
    audiences = [*private, *public, *([direct] if direct else [])]
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        found = await kinds(connection, team, audiences)
        newest = await latest(connection, team, audiences, _LATEST)
        settings = await channel_settings.read_all(connection, team, [*private, *public])
    more = [await each(parts, user) for each in MORE]
    return [
        documents_section(found),
        latest_section(newest),
        channels_section(settings),
        *more,
    ]


async def _channels(client: AsyncWebClient, user: str) -> tuple[list[str], list[str]]:
    """Return the private and the public channels that a person shares with the bot.

    When Slack doesn't tell, none: what is only for some channels isn't shown then.
    """
    private: list[str] = []
    public: list[str] = []
    cursor: str | None = None
    try:
        async with asyncio.timeout(_SECONDS):
            for _ in range(_PAGES):
                response = await client.users_conversations(
                    user=user,
                    types="public_channel,private_channel",
                    exclude_archived=True,
                    limit=200,
                    cursor=cursor,
                )
                for channel in response.get("channels") or []:
                    (private if channel.get("is_private") else public).append(str(channel["id"]))
                cursor = (response.get("response_metadata") or {}).get("next_cursor")
                if not cursor:
                    break
    except _SLACK as error:
        _LOG.warning("channels_not_read", error=type(error).__name__)
        return [], []
    return private, public
