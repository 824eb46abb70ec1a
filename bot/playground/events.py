"""The Events API payloads the app gets."""

import secrets
import time

from bot.playground.channels import Channel
from bot.playground.composer import REFERENCE
from bot.playground.messages import Message
from bot.playground.wire import Json
from bot.playground.workspace import Workspace


def callback(workspace: Workspace, event: Json) -> Json:
    """The `event_callback` wrapper with a fresh event_id."""
    bot = workspace.bot
    return {
        "token": "playground",
        "team_id": workspace.team.id,
        "context_team_id": workspace.team.id,
        "api_app_id": bot.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(6).upper()}",
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": workspace.team.id,
                "user_id": bot.id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": _is_shared(workspace, event),
        "event_context": f"1-{event['type']}-{workspace.team.id}",
    }


def posted(
    workspace: Workspace, channel: Channel, message: Message, parent: Message | None
) -> list[Json]:
    """The events of a new message: `message`, and `app_mention` when it mentions the bot.

    Direct messages never yield an `app_mention`, nor do the bot's own messages. `parent` is the
    root of the thread the message stands in.
    """
    event = _message(workspace, channel, message)
    if parent is not None:
        event["parent_user_id"] = parent.user
    found = [event]
    mentioned = workspace.bot.id in REFERENCE.findall(message.text)
    if mentioned and not channel.is_im and message.user != workspace.bot.id:
        mention = {key: value for key, value in event.items() if key != "channel_type"}
        found.append(mention | {"type": "app_mention"})
    return [callback(workspace, each) for each in found]


def changed(
    workspace: Workspace, channel: Channel, change: tuple[Message, Message], ts: str
) -> Json:
    """The `message_changed` event of (old, new) at `ts`; the new text is in `event.message`."""
    old, new = (each.to_wire(workspace.team.id) for each in change)
    event = _hidden(channel, "message_changed", ts)
    return callback(workspace, event | {"message": new, "previous_message": old})


def deleted(workspace: Workspace, channel: Channel, old: Message, ts: str) -> Json:
    """The `message_deleted` event at `ts`."""
    previous = old.to_wire(workspace.team.id)
    event = _hidden(channel, "message_deleted", ts)
    return callback(workspace, event | {"deleted_ts": old.ts, "previous_message": previous})


def reacted(
    workspace: Workspace, message: Message, reaction: tuple[str, str, str], ts: str
) -> Json:
    """The event of (`reaction_added` or `reaction_removed`, user, emoji) at `ts`."""
    kind, user, name = reaction
    event: Json = {
        "type": kind,
        "user": user,
        "reaction": name,
        "item_user": message.user,
        "item": {"type": "message", "channel": message.channel, "ts": message.ts},
        "event_ts": ts,
    }
    return callback(workspace, event)


def shared(workspace: Workspace, message: Message, file_id: str, ts: str) -> Json:
    """The `file_shared` event of a message with a file, at `ts`."""
    event: Json = {
        "type": "file_shared",
        "file_id": file_id,
        "user_id": message.user,
        "file": {"id": file_id},
        "channel_id": message.channel,
        "event_ts": ts,
    }
    return callback(workspace, event)


def membership(workspace: Workspace, channel: Channel, change: tuple[str, str], ts: str) -> Json:
    """The event of (`member_joined_channel` and the like, user) at `ts`."""
    kind, user = change
    event: Json = {
        "type": kind,
        "user": user,
        "channel": channel.id,
        "channel_type": channel.id[0],
        "team": _team_of(workspace, user),
        "event_ts": ts,
    }
    return callback(workspace, event)


def subscription(payload: Json) -> str:
    """The name under which an app subscribes to an event, such as `message.channels`."""
    event: Json = payload["event"]
    if event["type"] != "message":
        return str(event["type"])
    kind = str(event["channel_type"])
    return f"message.{kind if kind in {'im', 'mpim'} else f'{kind}s'}"


def _is_shared(workspace: Workspace, event: Json) -> bool:
    channel = workspace.channels.get(str(event.get("channel")))
    return channel is not None and bool(channel.shared_with)


def _message(workspace: Workspace, channel: Channel, message: Message) -> Json:
    event = message.to_wire(_team_of(workspace, message.user))
    event |= {
        "channel": channel.id,
        "channel_type": channel.kind,
        "event_ts": message.ts,
    }
    if message.bot_id is not None:
        event["bot_profile"] = {
            "id": message.bot_id,
            "app_id": message.app_id,
            "name": workspace.users[message.user].real_name,
            "team_id": workspace.team.id,
        }
    if event["team"] != workspace.team.id:
        event["user_team"] = event["source_team"] = event["team"]
    return event


def _team_of(workspace: Workspace, user_id: str) -> str:
    user = workspace.users.get(user_id)
    return workspace.team.id if user is None else user.team_id


def _hidden(channel: Channel, subtype: str, ts: str) -> Json:
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": channel.id,
        "channel_type": channel.kind,
        "ts": ts,
        "event_ts": ts,
    }
