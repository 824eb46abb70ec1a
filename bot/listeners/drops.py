"""A file sent to the bot with the word "ingest", by direct message or mention.

Stored before the ack, like a question. Whether its author may is asked by the worker, since a
message has to be acknowledged whether Slack tells who somebody is or not.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from slack_bolt import BoltResponse
from slack_bolt.app.async_app import AsyncApp

from bot.events import SUBTYPES, addressed, strip_mention
from bot.knowledge.requests import Asked, Wanted
from bot.knowledge.words import asks_to_ingest
from bot.listeners.ingest import asked_for
from bot.listeners.parts import Parts
from bot.question import parse

__all__ = ["dropped", "register"]

_MOST: Final = 10


def register(app: AsyncApp, parts: Parts) -> None:
    """Take such messages before the intake does."""

    @app.middleware
    async def middleware(
        body: Mapping[str, Any],
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002  # Bolt passes it by this name
    ) -> BoltResponse:
        found = dropped(body, parts.identity.bot_user)
        if found is None:
            return await next()
        await asked_for(parts, *found)
        return BoltResponse(status=200, body="")

    del middleware  # Bolt has it


def dropped(body: Mapping[str, Any], bot_user: str) -> tuple[Asked, list[Wanted]] | None:
    """Return what an event wants to have ingested; None when it is no such message. Pure."""
    event: Mapping[str, Any] = body.get("event") or {}
    if body.get("type") != "event_callback" or event.get("type") not in {"message", "app_mention"}:
        return None
    files: list[Mapping[str, Any]] = event.get("files") or []
    subtype, author = event.get("subtype"), event.get("user")
    if subtype not in SUBTYPES or event.get("bot_id") or not files or author in {None, bot_user}:
        return None
    text = strip_mention(str(event.get("text") or ""), bot_user)
    if addressed(event, bot_user) not in {"mention", "direct"} or not asks_to_ingest(text):
        return None
    said = parse(text)
    team, channel, ts = body.get("team_id"), str(event.get("channel")), str(event.get("ts"))
    asked = Asked(
        id=f"message:{team}:{channel}:{ts}",
        team=str(team),
        channel=channel,
        author=str(author),
        thread_ts=str(event.get("thread_ts") or ts),
        service=next(iter(said.services), None),
        doc_type=next(iter(said.doc_types), None),
    )
    return asked, [Wanted("file", str(each.get("id"))) for each in files[:_MOST]]
