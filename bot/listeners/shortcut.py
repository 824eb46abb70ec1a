"""*Ask about this*: a message's own words are the question, and its thread gets the answer."""

from collections.abc import Mapping
from typing import Any, Final

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot import alerts
from bot.events import Incoming, strip_mention
from bot.jobs import DATABASE_ERRORS
from bot.joining import words
from bot.listeners.parts import Parts
from bot.listeners.telling import DATABASE_DOWN, tell

__all__ = ["ASK", "register"]

ASK: Final = "footnote:ask:message"
_LOG = structlog.get_logger("footnote.listeners")
_NO_WORDS: Final = "This message has no words that I could look for."
_MINE: Final = "That is a message of mine. Ask on in its thread."


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the shortcut."""

    @app.shortcut(ASK)
    async def ask(ack: AsyncAck, shortcut: Mapping[str, Any], respond: AsyncRespond) -> None:
        said = ""
        try:
            said = await _ask(parts, shortcut)
        except DATABASE_ERRORS as error:
            _LOG.warning("shortcut_failed", error=type(error).__name__)
            said = DATABASE_DOWN
        await ack()
        if said:
            await tell(respond, said)

    del ask  # Bolt has it


async def _ask(parts: Parts, shortcut: Mapping[str, Any]) -> str:
    """Store the question; returns what to tell whoever asks, if anything."""
    message: Mapping[str, Any] = shortcut["message"]
    if message.get("user") == parts.identity.bot_user:
        return _MINE
    text = strip_mention(_words(message), parts.identity.bot_user)
    if not text:
        return _NO_WORDS
    ts = str(shortcut.get("message_ts") or message["ts"])
    await parts.intake.accept(
        Incoming(
            event_id=f"shortcut:{shortcut['trigger_id']}",
            kind="click",
            team=str(shortcut["team"]["id"]),
            channel=str(shortcut["channel"]["id"]),
            ts=str(shortcut["action_ts"]),
            root_ts=str(message.get("thread_ts") or ts),
            author=str(shortcut["user"]["id"]),
            text=text,
            response_url=shortcut.get("response_url"),
        )
    )
    return ""


def _words(message: Mapping[str, Any]) -> str:
    """Return what a message says: of a bot as of an alert, of a person with what is attached."""
    if message.get("bot_id"):
        return alerts.read(message) or words(message)
    own = words({**message, "attachments": None})
    return f"{own}\n{words({'attachments': message.get('attachments')})}".strip()
