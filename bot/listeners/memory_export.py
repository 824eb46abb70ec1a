"""All that is remembered of somebody: below their command where it is short, else as a file.

The file goes into their direct messages with the bot, which nobody else is in. A channel never
sees it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.listeners.telling import tell
from bot.memory import Owner
from bot.memory.shown import counted
from bot.mrkdwn import escape

__all__ = ["SENDING", "Export", "send"]

_LOG = structlog.get_logger("footnote.memory")
SENDING = "That is too long for here: I send it to you as a file, in a direct message."
_LONGEST = 2_800  # characters; Slack cuts a message's text at 4,000, and escapes count


@dataclass(frozen=True, slots=True)
class Export:
    """Memories as they are written out."""

    memories: Sequence[Mapping[str, Any]]

    def short(self) -> str | None:
        """Return it as code in a message, or None when it is too long for one."""
        text = escape(self.whole().replace("```", "'''"))
        return f"```{text}```" if len(text) <= _LONGEST else None

    def whole(self) -> str:
        """Return it as JSON."""
        return json.dumps(self.memories, ensure_ascii=False, indent=1)


async def send(client: AsyncWebClient, owner: Owner, export: Export, respond: AsyncRespond) -> None:
    """Send somebody a file of their memories, or say what to do when Slack doesn't let us."""
    said = f"What I remember of you: {counted(len(export.memories))}."
    try:
        # Posted to a user, a message opens the direct messages with them.
        opened = await client.chat_postMessage(channel=owner.user, text=said)
        await client.files_upload_v2(
            channel=str(opened["channel"]),
            content=export.whole(),
            filename="memories.json",
            title="Your memories",
        )
    except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
        _LOG.warning("export_not_sent", error=type(error).__name__)
        await tell(
            respond,
            "I couldn't send you the file: whoever runs me gets it by `footnote memory export"
            f" --team {owner.team} --user {owner.user}`.",
        )
