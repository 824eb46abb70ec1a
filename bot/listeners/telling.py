"""Telling one person something: below what they clicked, or in a modal; and never in vain."""

from typing import Any

import aiohttp
import structlog
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackClientError

__all__ = ["DATABASE_DOWN", "notice_view", "tell"]

_LOG = structlog.get_logger("footnote.listeners")

DATABASE_DOWN = "I can't reach my database, so this didn't work. Please try again in a minute."


async def tell(respond: AsyncRespond, sentence: str) -> None:
    """Say a sentence to whoever clicked, and nobody else.

    A click in a modal has no place to answer in, and Slack may fail: then nothing is said.
    """
    if respond.response_url is None:
        return
    try:
        await respond(sentence, response_type="ephemeral", replace_original=False)
    except (aiohttp.ClientError, TimeoutError, SlackClientError) as error:
        _LOG.warning("sentence_not_told", error=type(error).__name__)


def notice_view(title: str, *sentences: str) -> dict[str, Any]:
    """Return a modal that says something; `sentences` are mrkdwn, safe already."""
    return {
        "type": "modal",
        "title": {"type": "plain_text", "text": title},
        "close": {"type": "plain_text", "text": "Close"},
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": each}} for each in sentences
        ],
    }
