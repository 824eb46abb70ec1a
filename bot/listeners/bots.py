"""The bots that may be allowed to ask in a channel: those that post there, and those allowed."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

__all__ = ["Seen", "bots_of"]

_LOG = structlog.get_logger("footnote.listeners")
_SLACK: Final = (SlackClientError, aiohttp.ClientError, TimeoutError)
_LOOKED_AT: Final = 200  # messages
_MOST: Final = 20
_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A bot: its id (B…) and its name, as far as Slack tells."""

    id: str
    name: str


async def bots_of(
    client: AsyncWebClient, channel: str, allowed: Iterable[str], own: str
) -> list[Seen]:
    """Return the bots that have posted in a channel lately, and those that are allowed."""
    found = dict.fromkeys(allowed, "")
    try:
        async with asyncio.timeout(_SECONDS):
            response = await client.conversations_history(channel=channel, limit=_LOOKED_AT)
            for message in response.get("messages") or []:
                if message.get("bot_id"):
                    name = str(message.get("username") or "")
                    found[str(message["bot_id"])] = name or found.get(message["bot_id"], "")
            found.pop(own, None)
            async with asyncio.TaskGroup() as tasks:
                named = [
                    tasks.create_task(_named(client, bot, name))
                    for bot, name in list(found.items())[:_MOST]
                ]
    except _SLACK as error:
        _LOG.warning("bots_not_read", error=type(error).__name__)
        return [Seen(bot, name or bot) for bot, name in found.items() if bot != own][:_MOST]
    return sorted((each.result() for each in named), key=lambda seen: seen.name.lower())


async def _named(client: AsyncWebClient, bot: str, name: str) -> Seen:
    if name:
        return Seen(bot, name)
    try:
        response = await client.bots_info(bot=bot)
    except _SLACK:
        return Seen(bot, bot)
    told: Mapping[str, Any] = response.get("bot") or {}
    return Seen(bot, str(told.get("name") or bot))
