"""reactions.*: the bot's emoji below messages."""

from bot.playground.api.arguments import Arguments
from bot.playground.api.lookup import joined_channel, message_at
from bot.playground.errors import ApiError
from bot.playground.messages import Message
from bot.playground.services import Services
from bot.playground.wire import Json


async def add(services: Services, args: Arguments) -> Json:
    """reactions.add."""
    message, name = _target(services, args)
    if not services.postings.react(message, services.postings.workspace.bot.id, name):
        raise ApiError("already_reacted")
    return {}


async def remove(services: Services, args: Arguments) -> Json:
    """reactions.remove."""
    message, name = _target(services, args)
    if not services.postings.unreact(message, services.postings.workspace.bot.id, name):
        raise ApiError("no_reaction")
    return {}


async def get(services: Services, args: Arguments) -> Json:
    """reactions.get."""
    channel = joined_channel(services, args)
    message = message_at(services, channel, args.required("timestamp"))
    wire = message.to_wire(services.postings.workspace.team.id)
    return {"type": "message", "channel": channel.id, "message": wire}


def _target(services: Services, args: Arguments) -> tuple[Message, str]:
    """The message and the emoji's bare name."""
    channel = joined_channel(services, args)
    message = message_at(services, channel, args.required("timestamp"))
    return message, args.required("name").strip(":")
