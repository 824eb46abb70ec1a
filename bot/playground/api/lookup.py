"""Finding what the arguments name, with Slack's errors when it is not there or not allowed."""

from bot.playground.api.arguments import Arguments
from bot.playground.channels import Channel
from bot.playground.errors import ApiError
from bot.playground.messages import Message
from bot.playground.services import Services
from bot.playground.users import User


def readable_channel(services: Services, args: Arguments, name: str = "channel") -> Channel:
    """The channel if the bot may know of it; private ones of others are `channel_not_found`."""
    workspace = services.postings.workspace
    wanted = args.required(name)
    if wanted in workspace.users and wanted != workspace.bot.id:
        return workspace.direct_messages(wanted)
    for channel in workspace.channels.values():
        if wanted in {channel.id, f"#{channel.name}"}:
            if channel.is_private and not channel.has(workspace.bot.id):
                break
            return channel
    raise ApiError("channel_not_found")


def joined_channel(services: Services, args: Arguments) -> Channel:
    """The channel if the bot is a member, else `not_in_channel`."""
    channel = readable_channel(services, args)
    if not channel.has(services.postings.workspace.bot.id):
        raise ApiError("not_in_channel")
    return channel


def writable_channel(services: Services, args: Arguments) -> Channel:
    """The channel if the bot may post there, else `not_in_channel` or `is_archived`."""
    channel = joined_channel(services, args)
    if channel.is_archived:
        raise ApiError("is_archived")
    return channel


def known_user(services: Services, args: Arguments, name: str = "user") -> User:
    """The user with this id, else `user_not_found`."""
    user = services.postings.workspace.users.get(args.required(name))
    if user is None:
        raise ApiError("user_not_found")
    return user


def message_at(services: Services, channel: Channel, ts: str) -> Message:
    """The message with this ts (ephemeral ones are no messages), else `message_not_found`."""
    message = services.postings.log.get(channel.id, ts)
    if message is None or message.ephemeral_to is not None:
        raise ApiError("message_not_found")
    return message


def thread_root(services: Services, channel: Channel, args: Arguments) -> str | None:
    """`thread_ts` if it names a root of the channel, None when it was not given.

    Raises:
        ApiError: `thread_not_found`; `cannot_reply_to_message` when it names a reply.
    """
    thread_ts = args.text("thread_ts")
    if not thread_ts:
        return None
    root = services.postings.log.get(channel.id, thread_ts)
    if root is None or root.ephemeral_to is not None:
        raise ApiError("thread_not_found")
    if root.is_reply:
        raise ApiError("cannot_reply_to_message")
    return thread_ts
