"""chat.startStream, chat.appendStream, chat.stopStream."""

from dataclasses import replace

from bot.playground.api.arguments import Arguments
from bot.playground.api.chat import take
from bot.playground.api.lookup import joined_channel, message_at, thread_root, writable_channel
from bot.playground.channels import Channel
from bot.playground.elements import with_ids
from bot.playground.errors import ApiError
from bot.playground.limits import check_message, check_metadata
from bot.playground.messages import Message
from bot.playground.services import Services
from bot.playground.wire import Json

LONGEST = 12_000


async def start(services: Services, args: Arguments) -> Json:
    """chat.startStream: outside direct messages it needs to know for whom."""
    channel = writable_channel(services, args)
    root = thread_root(services, channel, args)
    if root is None:
        raise ApiError("invalid_thread_ts")
    if not channel.is_im:
        _check_recipient(services, args)
    text = _text(args)
    take(services, channel.id)
    bot = services.postings.workspace.bot
    stored = services.postings.publish(
        Message(
            ts=services.postings.clock.next_ts(),
            channel=channel.id,
            user=bot.id,
            text=text,
            blocks=_streamed(text),
            thread_ts=root,
            bot_id=bot.bot_id,
            app_id=bot.app_id,
        )
    )
    services.streams.start(channel.id, stored.ts)
    return {"channel": channel.id, "ts": stored.ts}


async def append(services: Services, args: Arguments) -> Json:
    """chat.appendStream."""
    _, message = _live(services, args)
    text = _text(args)
    if not text:
        raise ApiError("no_text")
    grown = message.text + text
    services.postings.log.put(replace(message, text=grown, blocks=_streamed(grown)))
    return {"channel": message.channel, "ts": message.ts}


async def stop(services: Services, args: Arguments) -> Json:
    """chat.stopStream: only now may there be blocks, below the text."""
    channel, message = _live(services, args)
    blocks, metadata = args.items("blocks"), args.member("metadata")
    text = message.text + _text(args)
    if blocks:
        check_message(text, blocks, [], update=False)
    check_metadata(metadata)
    ended = replace(
        message, text=text, blocks=_streamed(text) + with_ids(blocks), metadata=metadata
    )
    services.streams.stop(channel.id, message.ts)
    stored = services.postings.change(message, ended)
    wire = stored.to_wire(services.postings.workspace.team.id, with_metadata=True)
    return {"channel": channel.id, "ts": stored.ts, "message": wire}


def _check_recipient(services: Services, args: Arguments) -> None:
    workspace = services.postings.workspace
    for name in ("recipient_user_id", "recipient_team_id"):
        if not args.text(name):
            raise ApiError(f"missing_{name}")
    user = workspace.users.get(args.text("recipient_user_id"))
    if user is None:
        raise ApiError("user_not_found")
    if args.text("recipient_team_id") != user.team_id:
        raise ApiError("team_not_found")


def _live(services: Services, args: Arguments) -> tuple[Channel, Message]:
    """The message being streamed.

    Raises:
        ApiError: `message_not_owned_by_app`, or `message_not_in_streaming_state` when it was
            stopped, or started more than five minutes ago.
    """
    channel = joined_channel(services, args)
    message = message_at(services, channel, args.required("ts"))
    if message.user != services.postings.workspace.bot.id:
        raise ApiError("message_not_owned_by_app")
    if not services.streams.is_live(channel.id, message.ts):
        raise ApiError("message_not_in_streaming_state")
    return channel, message


def _text(args: Arguments) -> str:
    """The Markdown of one call, given as such or in chunks; other chunks have no words."""
    chunks = args.items("chunks")
    if chunks and args.has("markdown_text"):
        raise ApiError("cannot_provide_both_markdown_text_and_chunks")
    text = args.text("markdown_text") + "".join(
        str(each.get("text", "")) for each in chunks if each.get("type") == "markdown_text"
    )
    if len(text) > LONGEST:
        raise ApiError("msg_too_long")
    return text


def _streamed(text: str) -> list[Json]:
    return with_ids([{"type": "markdown", "text": text}]) if text else []
