"""Buttons, menus and modals that no feature knows: those of an older version, mostly.

Registered last. An action's id is `footnote:FEATURE:WHAT`, and so is a modal's callback_id.
"""

import re
from collections.abc import Mapping
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot.listeners.parts import Parts
from bot.listeners.telling import notice_view, tell

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.listeners")
_ANYTHING = re.compile("")
_OLD = "This is from an older version of me and does nothing any more. Please ask again."


def register(app: AsyncApp, _parts: Parts) -> None:
    """Add the answer to whatever has found no listener."""

    @app.action(_ANYTHING)
    async def clicked(ack: AsyncAck, action: Mapping[str, Any], respond: AsyncRespond) -> None:
        await ack()
        _LOG.warning("unknown_action", action=str(action.get("action_id"))[:100])
        await tell(respond, _OLD)

    @app.view(_ANYTHING)
    async def submitted(ack: AsyncAck, view: Mapping[str, Any]) -> None:
        _LOG.warning("unknown_modal", callback=str(view.get("callback_id"))[:100])
        await ack(response_action="update", view=notice_view("Footnote", _OLD))

    @app.shortcut(_ANYTHING)
    async def used(ack: AsyncAck, shortcut: Mapping[str, Any]) -> None:
        await ack()
        _LOG.warning("unknown_shortcut", callback=str(shortcut.get("callback_id"))[:100])

    del clicked, submitted, used  # Bolt has them
