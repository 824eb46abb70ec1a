"""The line below a thread that says what the bot is doing. Where Slack has none, there is none.

Slack takes it away by itself after two minutes, so a killed worker leaves none for long.
"""

import asyncio
import time

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.inbox import Message
from bot.sessions import Post

__all__ = ["Status"]

_LOG = structlog.get_logger("footnote.status")
_SECONDS = 2.0  # nothing waits longer for it
_REST_SECONDS = 600.0  # after a refusal


class Status:
    """Sets the status of threads."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._rests_until = 0.0

    async def show(self, post: Post | Message, what: str) -> bool:
        """Show what is done (`Searching runbooks…`) in a post's thread; an empty text clears it.

        Returns:
            False when Slack has no status here.
        """
        if what and time.monotonic() < self._rests_until:
            return False
        status = f"is {what[0].lower()}{what[1:]}" if what else ""
        try:
            async with asyncio.timeout(_SECONDS):
                await self._client.assistant_threads_setStatus(
                    channel_id=post.channel, thread_ts=post.root_ts, status=status
                )
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.info("status_not_shown", session=post.session, error=type(error).__name__)
            self._rests_until = time.monotonic() + _REST_SECONDS
            return False
        return True
