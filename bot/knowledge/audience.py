"""Who sees what is ingested in a channel: the workspace, or only that channel."""

import asyncio

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.knowledge.requests import SeenBy

__all__ = ["Audiences"]

_LOG = structlog.get_logger("footnote.knowledge")
_SECONDS = 2.0


class Audiences:
    """Asks Slack whether a channel is public. What Slack doesn't say is taken for private."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def of(self, channel: str, seen_by: SeenBy = "default") -> str | None:
        """Return the audience of what is ingested in a channel; None is the whole workspace."""
        if seen_by == "workspace":
            return None
        if seen_by == "channel":
            return channel
        return None if await self.is_public(channel) else channel

    async def is_public(self, channel: str) -> bool:
        """Tell whether everybody of the workspace can read a channel."""
        if not channel.startswith("C"):
            return False  # direct messages, of two or of several
        try:
            async with asyncio.timeout(_SECONDS):
                told = (await self._client.conversations_info(channel=channel)).get("channel") or {}
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning("channel_unknown", channel=channel, error=type(error).__name__)
            return False
        hidden = told.get("is_private") or told.get("is_im") or told.get("is_mpim")
        return bool(told.get("is_channel")) and not hidden
