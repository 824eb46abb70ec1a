"""The *Stop* button of a pointer. Whoever sees the thread may press it, as they may write `stop`.

In an incident the one who asked has often gone to bed.
"""

from collections.abc import Mapping
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import inbox
from bot.inbox import Connection
from bot.listeners.clicks import Click, keep
from bot.listeners.parts import Parts
from bot.replies.ids import STOP

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.listeners")


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the listener to the app."""

    @app.action(STOP)
    async def stop(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        click = Click.of(body, action)

        async def work(connection: Connection) -> bool:
            session = await inbox.stop_turn(connection, click.value, click.team, click.channel)
            if session is not None:
                await parts.queue.wake(connection, session)
            return session is not None

        stopped = await keep(parts, ack, respond, work)
        _LOG.info("stop_pressed", turn=click.value, stopped=stopped)

    del stop  # Bolt has it
