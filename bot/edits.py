"""Which Slack events tell that a question was edited or taken back. Pure.

Slack says `message_changed` of much that isn't an edit: an unfurled link, a reply below a root,
our own updates. An edit is what carries a new mark of having been edited, and other words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.events import SUBTYPES, Incoming, addressed, strip_mention
from bot.voice import clips

__all__ = ["Change", "change"]

_AGAIN_SECONDS = 600.0
"""Questions edited within ten minutes of being posted are answered again."""


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of a post, or its being taken back.

    `message.kind` is `deletion` when it was. `addressed`: the post itself is one that may want an
    answer; else it only matters when it is known here. `late`: it is too old to be answered again.
    """

    message: Incoming
    addressed: bool
    late: bool = False


def change(body: Mapping[str, Any], bot_user: str) -> Change | None:
    """Return the change to somebody's message that an Events API body tells of, if it does."""
    event: Mapping[str, Any] = body.get("event") or {}
    if event.get("type") != "message":
        return None
    new: Mapping[str, Any] = event.get("message") or {}
    old: Mapping[str, Any] = event.get("previous_message") or {}
    match event.get("subtype"):
        case "message_deleted":
            return _deletion(body, event, old, bot_user)
        case "message_changed" if new.get("subtype") == "tombstone":
            # A root with replies isn't removed: a stone takes its place.
            return _deletion(body, event, old, bot_user)
        case "message_changed" if _is_edit(new, old):
            return _edit(body, event, new, bot_user)
        case _:
            return None


def _is_edit(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    edited, before = new.get("edited") or {}, old.get("edited") or {}
    if not edited.get("ts") or edited.get("ts") == before.get("ts"):
        return False
    return new.get("text") != old.get("text")


def _edit(
    body: Mapping[str, Any], event: Mapping[str, Any], new: Mapping[str, Any], bot_user: str
) -> Change | None:
    if new.get("subtype") not in SUBTYPES:
        return None
    revision = str(new["edited"]["ts"])
    post = {**new, "type": "message", "channel_type": event.get("channel_type")}
    post["channel"] = event.get("channel")
    kind = addressed(post, bot_user)
    text = strip_mention(str(new.get("text") or ""), bot_user)
    said = {"text": text, "clips": clips(new)}
    message = _message(body, post, bot_user, kind=kind or "question", **said, revision=revision)
    if message is None:
        return None
    late = float(revision) - float(message.ts) > _AGAIN_SECONDS
    return Change(message, addressed=kind is not None, late=late)


def _deletion(
    body: Mapping[str, Any], event: Mapping[str, Any], old: Mapping[str, Any], bot_user: str
) -> Change | None:
    post = {**old, "type": "message", "channel_type": event.get("channel_type")}
    post |= {"channel": event.get("channel"), "ts": event.get("deleted_ts") or old.get("ts")}
    # An event's own ts is later than any edit of the post that it takes back.
    revision = str(event.get("event_ts") or event.get("ts") or "")
    message = _message(body, post, bot_user, kind="deletion", text="", revision=revision)
    if message is None or not revision:
        return None
    return Change(message, addressed=addressed(post, bot_user) is not None)


def _message(
    body: Mapping[str, Any], post: Mapping[str, Any], bot_user: str, **given: Any
) -> Incoming | None:
    author, channel, ts = post.get("user"), post.get("channel"), post.get("ts")
    team, event_id = body.get("team_id") or post.get("team"), body.get("event_id")
    if post.get("bot_id") or author == bot_user:
        return None
    if not (author and channel and ts and team and event_id):
        return None
    return Incoming(
        event_id=str(event_id),
        team=str(team),
        channel=str(channel),
        ts=str(ts),
        root_ts=str(post.get("thread_ts") or ts),
        author=str(author),
        **given,
    )
