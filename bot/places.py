"""What channels are called, and which everybody may read: what was asked elsewhere stays there."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

__all__ = ["Places", "unnamed"]

_LOG = structlog.get_logger("footnote.places")
_KEPT_SECONDS = 600.0
_UNTOLD_SECONDS = 60.0  # until Slack is asked again about a channel that it didn't tell of
_MOST_KEPT = 10_000
_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Place:
    name: str = ""
    public: bool = False


class Places:
    """Looks channels up. One that Slack doesn't tell of counts as private, and has no name."""

    def __init__(self, client: AsyncWebClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._kept: dict[str, tuple[float, _Place]] = {}

    async def public(self, channel: str) -> bool:
        """Tell whether a channel is open to the whole workspace, and to nobody else."""
        return channel.startswith("C") and (await self._place(channel)).public

    async def name(self, channel: str) -> str:
        """Return what people call a channel, such as `#payments`; untold, its id."""
        if channel.startswith("D"):
            return "direct messages"
        name = (await self._place(channel)).name
        return f"#{name}" if name else channel

    async def _place(self, channel: str) -> _Place:
        until, kept = self._kept.get(channel, (0.0, _Place()))
        if self._clock() < until:
            return kept
        seconds = _KEPT_SECONDS
        try:
            async with asyncio.timeout(_SECONDS):
                response = await self._client.conversations_info(channel=channel)
            place = _told(response.get("channel") or {})
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.info("channel_unknown", channel=channel, error=type(error).__name__)
            place, seconds = _Place(), _UNTOLD_SECONDS
        self._kept.pop(channel, None)  # so that the last one told stands last
        self._kept[channel] = (self._clock() + seconds, place)
        if len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return place


async def unnamed(channel: str) -> str:
    """Call a channel by its id."""
    return channel


def _told(channel: Mapping[str, Any]) -> _Place:
    # Shared with another company, it is read by people who aren't ours.
    closed = any(channel.get(each) for each in ("is_private", "is_im", "is_mpim", "is_ext_shared"))
    return _Place(str(channel.get("name") or ""), bool(channel.get("is_channel")) and not closed)
