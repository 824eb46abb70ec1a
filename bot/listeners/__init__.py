"""What Bolt calls. Messages never get as far: the intake takes them before the ack."""

import structlog
from slack_bolt import BoltResponse
from slack_bolt.app.async_app import AsyncApp

from bot.listeners import (
    answer,
    commands,
    documents,
    drops,
    feedback,
    filters,
    footnote,
    home,
    ingest,
    memory,
    no_match,
    save_thread,
    settings_form,
    share,
    shelf,
    shortcut,
    stop,
    thread,
    unknown,
)
from bot.listeners.parts import Parts

__all__ = ["Parts", "register"]

_LOG = structlog.get_logger("footnote.listeners")


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the intake and every listener to the app."""
    drops.register(app, parts)  # before the intake, to which they would be questions
    app.middleware(parts.intake.middleware)
    app.error(_on_error)
    commands.register(app, parts)
    filters.register(app, parts)
    stop.register(app, parts)
    answer.register(app, parts)
    feedback.register(app, parts)
    no_match.register(app, parts)
    share.register(app, parts)
    footnote.register(app, parts)
    settings_form.register(app, parts)
    shortcut.register(app, parts)
    thread.register(app, parts)
    home.register(app, parts)
    ingest.register(app, parts)
    documents.register(app, parts)
    shelf.register(app, parts)
    save_thread.register(app, parts)
    memory.register(app, parts)
    unknown.register(app, parts)  # last: it takes what is left


async def _on_error(error: Exception) -> BoltResponse:
    """Answer 500, which is no ack: Slack brings an event again. Slack never sees the error."""
    _LOG.warning("request_failed", error=type(error).__name__, exc_info=error)
    return BoltResponse(status=500, body="")
