"""conversations.*: channels, their members, their messages and threads."""

import base64
from collections.abc import Sequence
from dataclasses import replace

from bot.playground.api.arguments import Arguments
from bot.playground.api.lookup import joined_channel, readable_channel
from bot.playground.channels import Channel
from bot.playground.errors import ApiError
from bot.playground.messages import Message
from bot.playground.services import Services
from bot.playground.wire import Json

MOST_A_PAGE = 1_000
DEFAULT_PAGE = 100
MOST_IN_GROUP = 8


async def info(services: Services, args: Arguments) -> Json:
    """conversations.info."""
    return {"channel": _wire(services, readable_channel(services, args))}


async def list_channels(services: Services, args: Arguments) -> Json:
    """conversations.list: what the bot may know of, public channels unless `types` says else."""
    page, cursor = paged(visible_channels(services, args), args)
    return {"channels": [_wire(services, each) for each in page], **cursor}


async def members(services: Services, args: Arguments) -> Json:
    """conversations.members."""
    channel = readable_channel(services, args)
    page, cursor = paged(channel.members, args)
    return {"members": list(page), **cursor}


async def history(services: Services, args: Arguments) -> Json:
    """conversations.history: newest first."""
    channel = joined_channel(services, args)
    found = _between(services.postings.log.history(channel.id), args)
    page, cursor = paged(found[::-1], args)
    return {
        "messages": [_message(services, each, args) for each in page],
        "has_more": "response_metadata" in cursor,
        **cursor,
    }


async def replies(services: Services, args: Arguments) -> Json:
    """conversations.replies: the root, then its replies, oldest first."""
    channel = joined_channel(services, args)
    root = services.postings.log.get(channel.id, args.required("ts"))
    if root is None or root.ephemeral_to is not None:
        raise ApiError("thread_not_found")
    thread = [root] + ([] if root.is_reply else _between(_below(services, root), args))
    page, cursor = paged(thread, args, default=MOST_A_PAGE)
    return {
        "messages": [_message(services, each, args) for each in page],
        "has_more": "response_metadata" in cursor,
        **cursor,
    }


async def open_conversation(services: Services, args: Arguments) -> Json:
    """conversations.open with one person, or up to eight."""
    workspace = services.postings.workspace
    users = [each.strip() for each in args.text("users").split(",") if each.strip()]
    if not users:
        raise ApiError("users_list_not_supplied")
    if len(users) > MOST_IN_GROUP:
        raise ApiError("too_many_users")
    for user in users:
        if user not in workspace.users:
            raise ApiError("user_not_found")
        if workspace.users[user].deleted:
            raise ApiError("user_disabled")
        if user == workspace.bot.id:
            raise ApiError("cannot_dm_bot")
    if len(users) > 1:
        channel = workspace.group_messages(users)
    else:
        channel = workspace.direct_messages(users[0])
    if args.flag("return_im"):
        return {"channel": _wire(services, channel)}
    return {"channel": {"id": channel.id}}


async def join(services: Services, args: Arguments) -> Json:
    """conversations.join, for public channels."""
    workspace = services.postings.workspace
    channel = readable_channel(services, args)
    if channel.is_private:
        raise ApiError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise ApiError("is_archived")
    return {"channel": _wire(services, services.postings.join(channel, workspace.bot.id))}


def visible_channels(
    services: Services, args: Arguments, *, member: str | None = None
) -> list[Channel]:
    """Channels of the asked types; private ones only with the bot; `member` narrows further."""
    workspace = services.postings.workspace
    kinds = {"public_channel": "channel", "private_channel": "group", "im": "im", "mpim": "mpim"}
    asked = args.text("types", "public_channel").split(",")
    wanted = {kinds[each.strip()] for each in asked if each.strip() in kinds}
    return [
        channel
        for channel in workspace.channels.values()
        if channel.kind in wanted
        and not (channel.is_archived and args.flag("exclude_archived"))
        and (not channel.is_private or channel.has(workspace.bot.id))
        and (member is None or channel.has(member))
    ]


def paged[T](
    items: Sequence[T], args: Arguments, *, default: int = DEFAULT_PAGE
) -> tuple[Sequence[T], Json]:
    """One page and, when more follows, `response_metadata` with the cursor of the next."""
    limit = args.integer("limit", default)
    if limit < 1 or limit > MOST_A_PAGE:
        raise ApiError("invalid_limit")
    start = _position(args.text("cursor"))
    page = items[start : start + limit]
    if start + limit >= len(items):
        return page, {}
    cursor = base64.urlsafe_b64encode(f"next:{start + limit}".encode()).decode()
    return page, {"response_metadata": {"next_cursor": cursor}}


def _position(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.urlsafe_b64decode(cursor.encode()).decode().removeprefix("next:"))
    except ValueError as problem:
        raise ApiError("invalid_cursor") from problem


def _between(messages: list[Message], args: Arguments) -> list[Message]:
    """Those after `oldest` and before `latest`; the borders count when `inclusive`."""
    oldest, latest = args.text("oldest"), args.text("latest")
    inclusive = args.flag("inclusive")
    return [
        message
        for message in messages
        if (not oldest or message.ts > oldest or (inclusive and message.ts == oldest))
        and (not latest or message.ts < latest or (inclusive and message.ts == latest))
    ]


def _below(services: Services, root: Message) -> list[Message]:
    return services.postings.log.replies(root.channel, root.ts)


def _message(services: Services, message: Message, args: Arguments) -> Json:
    """The message; a root carries its thread's counts."""
    team = services.postings.workspace.team.id
    below = [] if message.is_reply else _below(services, message)
    shown = replace(message, thread_ts=message.ts) if below else message
    wire = shown.to_wire(team, with_metadata=args.flag("include_all_metadata"))
    if below:
        wire |= {
            "reply_count": len(below),
            "reply_users": sorted({each.user for each in below}),
            "reply_users_count": len({each.user for each in below}),
            "latest_reply": below[-1].ts,
            "is_locked": False,
            "subscribed": False,
        }
    return wire


def _wire(services: Services, channel: Channel) -> Json:
    workspace = services.postings.workspace
    return channel.to_wire(workspace.bot.id, workspace.team.id)
