"""chat.*: posting, changing and removing messages."""

from dataclasses import replace

from bot.playground.api.arguments import Arguments
from bot.playground.api.lookup import (
    joined_channel,
    message_at,
    readable_channel,
    thread_root,
    writable_channel,
)
from bot.playground.elements import with_ids
from bot.playground.errors import ApiError
from bot.playground.faults import HttpFault
from bot.playground.limits import check_message, check_metadata, parts
from bot.playground.messages import Message
from bot.playground.services import Services
from bot.playground.wire import Json


async def post_message(services: Services, args: Arguments) -> Json:
    """chat.postMessage; a long text without blocks becomes several messages, as in Slack."""
    channel = writable_channel(services, args)
    root = thread_root(services, channel, args)
    broadcast = root is not None and args.flag("reply_broadcast")
    message = replace(
        _compose(services, args, channel.id),
        thread_ts=root,
        metadata=args.member("metadata"),
        subtype="thread_broadcast" if broadcast else None,
    )
    check_metadata(message.metadata)
    take(services, channel.id)
    first, *rest = [message.text] if message.blocks else parts(message.text)
    stored = services.postings.publish(replace(message, text=first))
    for text in rest:
        ts = services.postings.clock.next_ts()
        services.postings.publish(replace(message, ts=ts, text=text))
    wire = stored.to_wire(services.postings.workspace.team.id, with_metadata=True)
    return {"channel": channel.id, "ts": stored.ts, "message": wire}


async def post_ephemeral(services: Services, args: Arguments) -> Json:
    """chat.postEphemeral."""
    channel = writable_channel(services, args)
    user = args.required("user")
    if not channel.has(user):
        raise ApiError("user_not_in_channel")
    message = _compose(services, args, channel.id)
    root = thread_root(services, channel, args)
    stored = services.postings.publish(replace(message, thread_ts=root, ephemeral_to=user))
    return {"message_ts": stored.ts}


async def update(services: Services, args: Arguments) -> Json:
    """chat.update: what is not given stays, an empty list of blocks removes them."""
    channel = writable_channel(services, args)
    old = message_at(services, channel, args.required("ts"))
    if old.user != services.postings.workspace.bot.id:
        raise ApiError("cant_update_message")
    if services.streams.is_live(channel.id, old.ts):
        raise ApiError("streaming_state_conflict")
    text = args.text("text", old.text)
    blocks = args.items("blocks") if args.has("blocks") else old.blocks
    attachments = args.items("attachments") if args.has("attachments") else old.attachments
    metadata = args.member("metadata") if args.has("metadata") else old.metadata
    check_message(text, blocks, attachments, update=True)
    check_metadata(metadata)
    take(services, channel.id)
    new = replace(
        old,
        text=text,
        blocks=with_ids(blocks),
        attachments=attachments,
        metadata=metadata,
        edited={"user": old.user, "ts": services.postings.clock.next_ts()},
    )
    stored = services.postings.change(old, new)
    wire = stored.to_wire(services.postings.workspace.team.id, with_metadata=True)
    return {"channel": channel.id, "ts": stored.ts, "text": stored.text, "message": wire}


async def delete(services: Services, args: Arguments) -> Json:
    """chat.delete."""
    channel = joined_channel(services, args)
    message = message_at(services, channel, args.required("ts"))
    if message.user != services.postings.workspace.bot.id:
        raise ApiError("cant_delete_message")
    services.postings.remove(message)
    return {"channel": channel.id, "ts": message.ts}


async def get_permalink(services: Services, args: Arguments) -> Json:
    """chat.getPermalink."""
    channel = readable_channel(services, args)
    message = message_at(services, channel, args.required("message_ts"))
    root = message.thread_ts if message.is_reply else None
    link = services.links.permalink(channel.id, message.ts, root)
    return {"channel": channel.id, "permalink": link}


def _compose(services: Services, args: Arguments, channel_id: str) -> Message:
    """A message of the bot from the arguments, checked against the limits."""
    bot = services.postings.workspace.bot
    text, blocks = args.text("text"), args.items("blocks")
    attachments = args.items("attachments")
    check_message(text, blocks, attachments, update=False)
    return Message(
        ts=services.postings.clock.next_ts(),
        channel=channel_id,
        user=bot.id,
        text=text,
        blocks=with_ids(blocks),
        attachments=attachments,
        bot_id=bot.bot_id,
        app_id=bot.app_id,
        unfurl_links=args.flag("unfurl_links", default=True),
        unfurl_media=args.flag("unfurl_media", default=True),
    )


def take(services: Services, channel_id: str) -> None:
    """Count a message of the channel against the limit.

    Raises:
        HttpFault: 429, with the seconds to wait.
    """
    wait = services.rates.take(channel_id)
    if wait:
        raise HttpFault(429, wait)
