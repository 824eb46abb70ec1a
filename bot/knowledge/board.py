"""The one message of a request: posted once, then changed, though the process may die in between.

It carries the request's id in its metadata. From the second attempt on it is looked for before
anything is posted.
"""

import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.knowledge.receipts import Block
from bot.knowledge.requests import Request
from bot.refusals import RateLimited, name, translated

__all__ = ["Board", "CantPost"]

_LOG = structlog.get_logger("footnote.knowledge")
_MARK: Final = "footnote_ingest"
_PAUSE: Final = 3.0  # seconds between two changes of a message
_CLOSED: Final = frozenset(
    {
        "channel_not_found",
        "not_in_channel",
        "is_archived",
        "thread_not_found",
        "messages_tab_disabled",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
    }
)
_NOT_HERE: Final = (
    "I can't post in this channel, so I ingested nothing. Invite me with `/invite @Footnote`, then"
    " ask again; or send it to me as a direct message."
)


class CantPost(Exception):
    """The bot may not post where it was asked."""


class Board:
    """Shows a request's progress in Slack. `request` is being done by nobody else."""

    def __init__(self, client: AsyncWebClient, request: Request) -> None:
        self._client = client
        self._request = request
        self._ts = request.message_ts
        self._next = 0.0

    async def open(self, text: str, blocks: list[Block]) -> str:
        """Post the message, or find it; returns its ts.

        Raises:
            CantPost: Slack refuses for good.
            RateLimited: Slack wants a pause first.
        """
        if self._ts is None and self._request.attempts > 1:
            self._ts = await self._find()
        if self._ts is None:
            try:
                response = await self._client.chat_postMessage(
                    channel=self._request.channel,
                    thread_ts=self._request.thread_ts,
                    text=text,
                    blocks=blocks,
                    unfurl_links=False,
                    unfurl_media=False,
                    metadata={"event_type": _MARK, "event_payload": {"request": self._request.id}},
                )
            except SlackApiError as error:
                if name(error) in _CLOSED:
                    raise CantPost from error
                raise _pause(error, posts=True) from error
            self._ts = str(response["ts"])
            self._next = time.monotonic() + _PAUSE
        return self._ts

    async def progress(self, text: str, blocks: list[Block]) -> None:
        """Show how far it is, unless it was shown a moment ago; it is no loss when Slack fails."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _PAUSE
        try:
            await self._update(text, blocks)
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.info("progress_not_shown", request=self._request.id, error=type(error).__name__)

    async def last(self, text: str, blocks: list[Block]) -> None:
        """Show the receipt.

        Raises:
            RateLimited: Slack wants a pause first.
        """
        try:
            await self._update(text, blocks)
        except SlackApiError as error:
            if name(error) in _CLOSED | {"message_not_found", "cant_update_message"}:
                _LOG.warning("receipt_not_shown", request=self._request.id, error=name(error))
                return  # taken back, or the channel was closed: nobody is there to be told
            raise _pause(error) from error

    async def tell_author(self, sentence: str) -> None:
        """Say something to whoever asked, and nobody else."""
        request = self._request
        try:
            await self._client.chat_postEphemeral(
                channel=request.channel,
                user=request.author,
                thread_ts=request.thread_ts,
                text=sentence,
            )
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning("author_not_told", request=request.id, error=type(error).__name__)

    async def tell_not_here(self) -> None:
        """Say by the address of the command that nothing can be posted here."""
        if self._request.response_url is None:
            return
        webhook = AsyncWebhookClient(self._request.response_url, session=self._client.session)
        try:
            await webhook.send(text=_NOT_HERE, response_type="ephemeral")
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning("author_not_told", request=self._request.id, error=type(error).__name__)

    async def _update(self, text: str, blocks: list[Block]) -> None:
        await self._client.chat_update(
            channel=self._request.channel, ts=self._ts or "", text=text, blocks=blocks
        )

    async def _find(self) -> str | None:
        async for message in self._messages():
            metadata: Mapping[str, Any] = message.get("metadata") or {}
            payload: Mapping[str, Any] = metadata.get("event_payload") or {}
            mine = payload.get("request") == self._request.id
            if metadata.get("event_type") == _MARK and mine:
                return str(message["ts"])
        return None

    async def _messages(self) -> AsyncIterator[Mapping[str, Any]]:
        request, cursor = self._request, None
        while True:
            common: dict[str, Any] = {
                "channel": request.channel,
                "cursor": cursor,
                "limit": 200,
                "include_all_metadata": True,
            }
            if request.thread_ts is None:
                oldest = f"{request.created_at - 60:.6f}"
                response = await self._client.conversations_history(**common, oldest=oldest)
            else:
                response = await self._client.conversations_replies(**common, ts=request.thread_ts)
            for message in response.get("messages") or []:
                yield message
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return


def _pause(error: SlackApiError, *, posts: bool = False) -> Exception:
    """Return the pause that Slack wants, or what else it says, which may work when tried again."""
    meant = translated(error, posts=posts)
    return meant if isinstance(meant, RateLimited) else error
