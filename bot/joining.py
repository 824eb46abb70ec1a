"""What stood in a thread before the bot was asked there: read from Slack once, kept as quoted data.

The root and the newest messages are enough to know what "this" is. An alert's root often has no
text of its own: its words are in its blocks and attachments.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, cast

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.events import strip_mention
from bot.mrkdwn import cut
from bot.sessions import Post
from bot.window import Entry

__all__ = ["Joining", "words"]

_LOG = structlog.get_logger("footnote.joining")
_NEWEST = 20  # messages, beside the root
_PAGE = 200
_MOST_PAGES = 20  # Slack gives the oldest first, so the newest are behind all others
_SECONDS = 8.0
_LONGEST = 2_000  # characters of one message


class Joining:
    """Reads threads. `bot_user` is the bot's own user id."""

    def __init__(self, client: AsyncWebClient, bot_user: str) -> None:
        self._client = client
        self._bot_user = bot_user

    async def context(self, post: Post) -> tuple[Entry, ...]:
        """Return the root and the newest messages before a post; nothing when Slack fails."""
        try:
            async with asyncio.timeout(_SECONDS):
                root, newest = await self._read(post)
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning("thread_not_read", session=post.session, error=type(error).__name__)
            return ()
        entries = [self._entry(message, post) for message in [*root, *newest]]
        return tuple(entry for entry in entries if entry.text)

    async def _read(self, post: Post) -> tuple[list[Mapping[str, Any]], deque[Mapping[str, Any]]]:
        root: list[Mapping[str, Any]] = []
        newest: deque[Mapping[str, Any]] = deque(maxlen=_NEWEST)
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            response = await self._client.conversations_replies(
                channel=post.channel, ts=post.root_ts, latest=post.ts, cursor=cursor, limit=_PAGE
            )
            for message in response.get("messages") or []:
                if message.get("user") == self._bot_user or str(message.get("ts")) >= post.ts:
                    continue
                (root if message.get("ts") == post.root_ts else newest).append(message)
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                break
        return root[:1], newest

    def _entry(self, message: Mapping[str, Any], post: Post) -> Entry:
        author = message.get("user") or message.get("username") or message.get("bot_id")
        ts = str(message.get("ts"))
        return Entry(
            "context",
            cut(strip_mention(words(message), self._bot_user), _LONGEST),
            str(author) if author else None,
            {"ts": ts, "quoted": True, "root": ts == post.root_ts},
        )


def words(message: Mapping[str, Any]) -> str:
    """Return what a message says: its text, or else what its blocks and attachments say."""
    if text := str(message.get("text") or "").strip():
        return text
    found = [*_texts(message.get("blocks")), *_texts(message.get("attachments"))]
    return "\n".join(dict.fromkeys(each.strip() for each in found if each.strip()))


def _texts(node: object) -> Iterator[str]:
    """Give the strings below a block or an attachment that a reader sees."""
    if isinstance(node, list):
        for item in cast("list[object]", node):
            yield from _texts(item)
    elif isinstance(node, dict):
        for key, value in cast("dict[str, object]", node).items():
            if isinstance(value, str) and key in {"pretext", "title", "text", "value"}:
                yield value
            elif not isinstance(value, str):
                yield from _texts(value)
