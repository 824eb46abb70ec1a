"""The middleware that stores a message before Slack is told that it arrived.

Bolt acknowledges an event before its listener runs, and a listener's work is lost with the
process. So nothing is left to listeners: the message and its wake-up job are committed in one
transaction here, before the ack. When the database is down there is no ack, and Slack delivers
the event again.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool
from slack_bolt import BoltResponse

from bot import channel_settings, inbox
from bot.edits import Change, change
from bot.events import Incoming, incoming, is_bot
from bot.gate import is_stop, silence
from bot.jobs import Queue
from bot.voice.clips import UNHEARD

__all__ = ["Intake"]

_LOG = structlog.get_logger("footnote.intake")
_SAID = frozenset({"mention", "direct", "reply"})  # by people, to the bot
_POOL_SECONDS = 2.0  # below the three seconds in which Slack wants its ack


class Intake:
    """Accepts messages. `bot_user` is the bot's own user id."""

    def __init__(
        self, pool: AsyncConnectionPool[AsyncConnection], queue: Queue, bot_user: str
    ) -> None:
        self._pool = pool
        self._queue = queue
        self._bot_user = bot_user

    async def middleware(
        self,
        body: Mapping[str, Any],
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002  # Bolt passes it by this name
    ) -> BoltResponse:
        """Take messages and mentions; everything else goes on to its listener.

        An exception leaves here on purpose: Bolt then answers 500, which is no ack.
        """
        event = body.get("event") or {}
        if body.get("type") != "event_callback" or event.get("type") not in {
            "message",
            "app_mention",
        }:
            return await next()
        if changed := change(body, self._bot_user):
            await self.accept_change(changed)
        elif (message := incoming(body, self._bot_user)) and await self._wanted(message):
            await self.accept(message)
        return BoltResponse(status=200, body="")

    async def _wanted(self, message: Incoming) -> bool:
        """Tell whether a message that isn't for the bot by itself is wanted in its channel."""
        said = UNHEARD if message.clips else message.text
        if message.kind == "question" and silence("question", said, ours=False):
            return False
        if message.kind != "question" and not is_bot(message.author):
            return True
        async with self._pool.connection(timeout=_POOL_SECONDS) as connection:
            there = await channel_settings.read(connection, message.team, message.channel)
        if message.kind == "question":
            return there.mode == "all"
        watched = message.kind != "alert" or there.alert_watch
        return watched and message.author in there.bots

    async def accept(self, message: Incoming) -> bool:
        """Commit a message and its wake-up together; False when it was here before."""
        async with (
            self._pool.connection(timeout=_POOL_SECONDS) as connection,
            connection.transaction(),
        ):
            if message.kind in _SAID and is_stop(message.text):
                await inbox.stop(connection, message)
            new = await inbox.accept(connection, message)
            if new:
                await self._queue.wake(connection, message.session)
        _LOG.info("message_accepted", session=message.session, kind=message.kind, new=new)
        return new

    async def accept_change(self, change: Change) -> bool:
        """Commit an edit or a deletion with its wake-up; False when it changes nothing here."""
        message = change.message
        if message.kind == "question" and await self._wanted(message):
            change = replace(change, addressed=True)
        async with (
            self._pool.connection(timeout=_POOL_SECONDS) as connection,
            connection.transaction(),
        ):
            new = await inbox.accept_change(connection, change)
            if new:
                await self._queue.wake(connection, message.session)
        _LOG.info("change_accepted", session=message.session, kind=message.kind, new=new)
        return new
