"""Which channels everybody may read: what was asked elsewhere is shown nowhere else."""

import asyncio
import time
from collections.abc import Callable

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

__all__ = ["Places"]

_LOG = structlog.get_logger("footnote.places")
_KEPT_SECONDS = 600.0
_MOST_KEPT = 10_000
_SECONDS = 2.0


class Places:
    """Looks channels up. A channel that Slack doesn't tell of counts as private."""

    def __init__(self, client: AsyncWebClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._kept: dict[str, tuple[float, bool]] = {}

    async def public(self, channel: str) -> bool:
        """Tell whether a channel is open to the whole workspace, and to nobody else."""
        if not channel.startswith("C"):
            return False
        until, kept = self._kept.get(channel, (0.0, False))
        if self._clock() < until:
            return kept
        try:
            async with asyncio.timeout(_SECONDS):
                response = await self._client.conversations_info(channel=channel)
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.info("channel_unknown", channel=channel, error=type(error).__name__)
            return False
        told = response.get("channel") or {}
        # Shared with another company, it is read by people who aren't ours.
        public = bool(told.get("is_channel")) and not any(
            told.get(each) for each in ("is_private", "is_im", "is_mpim", "is_ext_shared")
        )
        self._kept.pop(channel, None)
        self._kept[channel] = (self._clock() + _KEPT_SECONDS, public)
        if len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return public
