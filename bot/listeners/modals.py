"""Opening modals: at once, since a trigger lasts three seconds, and filled in when all is known."""

from typing import Any

import aiohttp
import structlog
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.listeners.telling import notice_view, tell

__all__ = ["GONE", "open_view", "update_view"]

_LOG = structlog.get_logger("footnote.listeners")

GONE = "This answer isn't kept here any more."

_NOT_OPENED = "Slack didn't open the window, mostly because I took too long. Please try again."


async def open_view(
    client: AsyncWebClient, trigger: str, respond: AsyncRespond, view: dict[str, Any] | None = None
) -> str | None:
    """Open a modal, by default an empty one to be filled in.

    Returns:
        Its id; None when Slack doesn't open it, of which whoever clicked has been told.
    """
    try:
        opened = await client.views_open(
            trigger_id=trigger, view=view or notice_view("Footnote", "One moment …")
        )
    except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
        _LOG.warning("modal_not_opened", error=type(error).__name__)
        await tell(respond, _NOT_OPENED)
        return None
    return str((opened.get("view") or {}).get("id"))


async def update_view(client: AsyncWebClient, view_id: str | None, view: dict[str, Any]) -> None:
    """Show something else in an open modal; one that was closed meanwhile stays closed."""
    if view_id is None:
        return
    try:
        await client.views_update(view_id=view_id, view=view)
    except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
        _LOG.warning("modal_not_filled", error=type(error).__name__)
