"""Posting a reply exactly once, though the process may die before, during or after the post.

Each reply carries its turn's id in the message's metadata. From the second attempt on, the
thread is searched for that id before anything is posted. A request that may or may not have
reached Slack is never repeated blindly: it raises, and the next attempt looks first.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.inbox import Message
from bot.refusals import FORM, RateLimited, Undeliverable, name, translated
from bot.replies import Reply, forms, render_question
from bot.sessions import Post, Turn

__all__ = ["Delivery", "Found", "in_some_form"]

# What Slack says of a reply that can't be changed, though another may be posted.
_UNCHANGEABLE = frozenset({"cant_update_message", "edit_window_closed", "message_not_found"})
_NOT_HERE = (
    "I can't post in this channel. Invite me with `/invite @Footnote`, then ask again; or send"
    " me the question as a direct message."
)
_LOG = structlog.get_logger("footnote.delivery")
_TURN = "footnote_turn"
_QUESTION = "footnote_question"
_NOTICE = "footnote_notice"


@dataclass(frozen=True, slots=True)
class Found:
    """A message of ours, by what its metadata say."""

    ts: str
    payload: Mapping[str, Any]

    def shows(self, turn: Turn) -> bool:
        """Tell whether it is the answer of a turn, and not its pointer, or another's answer."""
        return self.payload.get("turn") == turn.id and "stop_reason" in self.payload


class Delivery:
    """Posts replies and the questions of slash commands.

    `client` must not repeat a call by itself, whatever happens to it. `gap_seconds` lie between
    the parts of a long reply.
    """

    def __init__(self, client: AsyncWebClient, gap_seconds: float) -> None:
        self._client = client
        self._gap = gap_seconds

    async def find(self, post: Post, turn: Turn) -> Found | None:
        """Return the message that an earlier attempt has posted, if it has."""
        return await self.find_any(post, (turn.id, *turn.earlier))

    async def find_any(self, post: Post, turns: Sequence[str]) -> Found | None:
        """Return a message that shows one of these turns, or is its pointer, if there is one."""
        replies = _pages(self._client.conversations_replies, channel=post.channel, ts=post.root_ts)
        marks = [{"turn": turn} for turn in turns]
        return await self._find(replies, _TURN, marks)

    async def point(self, post: Post, turn: Turn, reply: Reply, ts: str | None) -> str:
        """Show what a turn does, in a message of its own or in the one of `ts`; returns its ts.

        Raises:
            Undeliverable: Slack refuses for good, or the message of `ts` is gone.
            RateLimited: Slack wants a pause first.
        """
        metadata = _mark(turn)
        if ts is None:
            return await self._post(post.channel, reply, metadata, post.root_ts)
        return await self._update(post.channel, ts, reply, metadata)

    async def reply(
        self, post: Post, turn: Turn, reply: Reply, stop_reason: str, there: str | None = None
    ) -> str:
        """Show a reply in its thread, in the message that is there already, if one is.

        When that message is gone, or can't be changed, another one is posted.

        Returns:
            The ts of the message that shows it.

        Raises:
            Undeliverable: Slack refuses for good.
            RateLimited: Slack wants a pause first.
        """
        metadata = _mark(turn, stop_reason=stop_reason)
        if there is not None:
            try:
                return await self._update(post.channel, there, reply, metadata)
            except Undeliverable as error:
                if error.error not in _UNCHANGEABLE:
                    raise
        return await self._post(post.channel, reply, metadata, post.root_ts)

    async def further(self, post: Post, turn: Turn, replies: Sequence[Reply]) -> None:
        """Show the further parts of a long reply below the first, each once.

        Raises:
            Undeliverable: Slack refuses for good.
            RateLimited: Slack wants a pause first.
        """
        known: dict[str, str] = {}
        if turn.attempt > 1 or turn.earlier:
            for part in await self.find_parts(post, (turn.id, *turn.earlier)):
                known.setdefault(str(part.payload["part"]), part.ts)
        for number, reply in enumerate(replies, start=2):
            metadata = _mark(turn, part=str(number))
            if (ts := known.pop(str(number), None)) is None:
                await asyncio.sleep(self._gap)
                await self._post(post.channel, reply, metadata, post.root_ts)
            else:
                await self._update(post.channel, ts, reply, metadata)
        for ts in known.values():  # from before an edit
            await self.withdraw(post, ts)

    async def find_parts(self, post: Post, turns: Sequence[str]) -> list[Found]:
        """Return the further parts of long replies that show these turns."""
        replies = _pages(self._client.conversations_replies, channel=post.channel, ts=post.root_ts)
        marks = [{"turn": turn} for turn in turns]
        return [each async for each in _ours(replies, _TURN, marks) if "part" in each.payload]

    async def withdraw(self, post: Post, ts: str) -> None:
        """Take back a reply that another one stands for."""
        try:
            await self.delete(post, ts)
        except (SlackApiError, Undeliverable, RateLimited) as error:
            _LOG.warning("double_not_withdrawn", error=type(error).__name__)

    async def delete(self, post: Post, ts: str) -> None:
        """Take back a reply; one that is gone already is as good.

        Raises:
            Undeliverable: Slack refuses for good.
            RateLimited: Slack wants a pause first.
        """
        try:
            await self._client.chat_delete(channel=post.channel, ts=ts)
        except SlackApiError as error:
            if name(error) != "message_not_found":
                raise translated(error) from error

    async def question(self, message: Message) -> str:
        """Post a slash command's question, or find it; returns its ts, the root of a thread.

        Raises:
            Undeliverable: Slack refuses for good.
        """
        mark = {"event_id": message.event_id}
        if message.attempts > 1:
            oldest = f"{message.accepted_at - 60:.6f}"
            history = _pages(
                self._client.conversations_history, channel=message.channel, oldest=oldest
            )
            if found := await self._find(history, _QUESTION, [mark]):
                return found.ts
        reply = render_question(message.author, message.text, message.services, message.doc_types)
        metadata = {"event_type": _QUESTION, "event_payload": mark}
        return await self._post(message.channel, reply, metadata)

    async def notice(  # where, what, and what it is known by
        self, channel: str, thread_ts: str | None, reply: Reply, key: str, since: float
    ) -> None:
        """Post something in a channel or thread, unless it is there; `since` is when it was due.

        Raises:
            Undeliverable: Slack refuses for good.
            RateLimited: Slack wants a pause first.
        """
        mark = {"notice": key}
        if thread_ts is None:
            oldest = f"{since - 60:.6f}"
            there = _pages(self._client.conversations_history, channel=channel, oldest=oldest)
        else:
            there = _pages(self._client.conversations_replies, channel=channel, ts=thread_ts)
        if await self._find(there, _NOTICE, [mark]):
            return
        metadata = {"event_type": _NOTICE, "event_payload": mark}
        await self._post(channel, reply, metadata, thread_ts)

    async def permalink(self, channel: str, ts: str) -> str | None:
        """Return the address of a message; None when Slack doesn't tell."""
        try:
            response = await self._client.chat_getPermalink(channel=channel, message_ts=ts)
        except SlackApiError as error:
            _LOG.info("no_permalink", error=name(error))
            return None
        return str(response.get("permalink") or "") or None

    async def refuse(self, message: Message) -> None:
        """Tell the author of a slash command, and nobody else, that it can't be asked there."""
        if message.response_url is None:
            return
        webhook = AsyncWebhookClient(message.response_url, session=self._client.session)
        try:
            await webhook.send(text=_NOT_HERE, response_type="ephemeral")
        except (aiohttp.ClientError, TimeoutError, SlackClientError) as error:
            _LOG.warning("refusal_not_delivered", error=type(error).__name__)

    async def whisper(self, message: Message, sentence: str) -> None:
        """Tell a message's author, and nobody else, something in its thread; once at most."""
        in_thread = message.ts and message.root_ts != message.ts  # what isn't posted has none
        try:
            await self._client.chat_postEphemeral(
                channel=message.channel,
                user=message.author,
                text=sentence,
                thread_ts=message.root_ts if in_thread else None,
            )
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning("whisper_not_delivered", error=type(error).__name__)

    async def _post(
        self,
        channel: str,
        reply: Reply,
        metadata: Mapping[str, Any],
        thread_ts: str | None = None,
    ) -> str:
        async def post(**form: Any) -> str:
            response = await self._client.chat_postMessage(
                channel=channel,
                thread_ts=thread_ts,
                unfurl_links=False,
                unfurl_media=False,
                metadata=dict(metadata),
                **form,
            )
            return str(response["ts"])

        return await in_some_form(reply, post, posts=True)

    async def _update(
        self, channel: str, ts: str, reply: Reply, metadata: Mapping[str, Any]
    ) -> str:
        async def update(text: str, blocks: list[dict[str, Any]] | None = None) -> str:
            # What isn't given stays as it was, so plain text has to take the blocks away.
            await self._client.chat_update(
                channel=channel, ts=ts, text=text, blocks=blocks or [], metadata=dict(metadata)
            )
            return ts

        return await in_some_form(reply, update)

    async def _find(
        self,
        messages: AsyncIterator[Mapping[str, Any]],
        event_type: str,
        marks: Sequence[Mapping[str, str]],
    ) -> Found | None:
        async for found in _ours(messages, event_type, marks):
            if "part" not in found.payload:
                return found
        return None


async def _ours(
    messages: AsyncIterator[Mapping[str, Any]],
    event_type: str,
    marks: Sequence[Mapping[str, str]],
) -> AsyncIterator[Found]:
    """Give the messages whose metadata hold one of these marks."""
    try:
        async for message in messages:
            metadata: Mapping[str, Any] = message.get("metadata") or {}
            if metadata.get("event_type") != event_type:
                continue
            payload = dict(metadata.get("event_payload") or {})
            if any(mark.items() <= payload.items() for mark in marks):
                yield Found(str(message["ts"]), payload)
    except SlackApiError as error:
        raise translated(error) from error


def _mark(turn: Turn, **shown: str) -> dict[str, Any]:
    """Return the metadata of a reply; a pointer has no stop reason."""
    return {"event_type": _TURN, "event_payload": {"turn": turn.id, **shown}}


async def in_some_form(
    reply: Reply, send: Callable[..., Awaitable[str]], *, posts: bool = False
) -> str:
    """Send a reply in the best form that Slack takes; returns what `send` gives, its ts.

    `posts`: by a post in the channel.

    Raises:
        Undeliverable: Slack refuses for good.
        RateLimited: Slack wants a pause first.
    """
    waiting = list(forms(reply))
    while True:
        try:
            return await send(**waiting.pop(0))
        except SlackApiError as error:
            if not waiting or name(error) not in FORM:
                raise translated(error, posts=posts) from error
            _LOG.warning("form_refused", error=name(error))


type _Method = Callable[..., Awaitable[AsyncSlackResponse]]


async def _pages(method: _Method, **arguments: str) -> AsyncIterator[Mapping[str, Any]]:
    cursor: str | None = None
    while True:
        response = await method(**arguments, cursor=cursor, limit=200, include_all_metadata=True)
        for message in response.get("messages") or []:
            yield message
        cursor = (response.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return
