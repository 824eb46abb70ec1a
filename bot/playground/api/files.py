"""files.*: uploading in three steps, and looking a file up."""

from dataclasses import replace

from bot.playground.api.arguments import Arguments
from bot.playground.api.chat import take
from bot.playground.api.lookup import thread_root, writable_channel
from bot.playground.channels import Channel
from bot.playground.errors import ApiError
from bot.playground.files import File
from bot.playground.messages import Message
from bot.playground.services import Services
from bot.playground.wire import Json

LARGEST = 1_000_000_000


async def get_upload_url(services: Services, args: Arguments) -> Json:
    """files.getUploadURLExternal."""
    name, length = args.required("filename"), args.integer("length", 0)
    if length < 1:
        raise ApiError("invalid_arguments")
    if length > LARGEST:
        raise ApiError("file_upload_size_restricted")
    file, url = services.files.announce(name, length, services.postings.workspace.bot.id)
    return {"upload_url": url, "file_id": file.id}


async def complete_upload(services: Services, args: Arguments) -> Json:
    """files.completeUploadExternal: with a channel, the files are posted there in one message."""
    wanted = args.items("files")
    if not wanted:
        raise ApiError("invalid_arguments")
    named = [args.text("channel_id"), *args.text("channels").split(",")]
    places: list[tuple[Channel, str | None]] = []
    for channel_id in dict.fromkeys(each for each in named if each):
        place = Arguments({**args.values, "channel": channel_id})
        channel = writable_channel(services, place)
        places.append((channel, thread_root(services, channel, place)))
    files = [
        services.files.complete(str(each.get("id")), str(each.get("title") or ""))
        for each in wanted
    ]
    for channel, root in places:
        take(services, channel.id)
        files = [services.files.share(file, channel.id) for file in files]
        _post(services, args, replace(_message(services, channel, files), thread_ts=root))
    return {"files": services.files.wires(files)}


async def info(services: Services, args: Arguments) -> Json:
    """files.info: of what the bot uploaded, was given in a form, or sees in its channels."""
    workspace = services.postings.workspace
    file = services.files.get(args.required("file"))
    if file is None:
        raise ApiError("file_not_found")
    seen = [each for each in file.channels if workspace.channels[each].has(workspace.bot.id)]
    if file.user != workspace.bot.id and not seen and not services.files.is_given(file.id):
        raise ApiError("file_not_found")
    return {"file": services.files.to_wire(file), "comments": []}


def _message(services: Services, channel: Channel, files: list[File]) -> Message:
    bot = services.postings.workspace.bot
    return Message(
        ts=services.postings.clock.next_ts(),
        channel=channel.id,
        user=bot.id,
        text="",
        files=services.files.wires(files),
        subtype="file_share",
        bot_id=bot.bot_id,
        app_id=bot.app_id,
    )


def _post(services: Services, args: Arguments, message: Message) -> None:
    services.postings.publish(replace(message, text=args.text("initial_comment")))
