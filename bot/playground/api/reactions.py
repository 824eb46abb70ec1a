"""reactions.*: the bot's emoji below messages."""

from dataclasses import replace

from bot.playground.api.arguments import Arguments
from bot.playground.api.lookup import joined_channel, message_at
from bot.playground.errors import ApiError
from bot.playground.messages import Message
from bot.playground.services import Services
from bot.playground.wire import Json


async def add(services: Services, args: Arguments) -> Json:
    """reactions.add."""
    message, name, users = _target(services, args)
    bot = services.postings.workspace.bot.id
    if bot in users:
        raise ApiError("already_reacted")
    services.postings.log.put(
        replace(message, reactions={**message.reactions, name: [*users, bot]})
    )
    return {}


async def remove(services: Services, args: Arguments) -> Json:
    """reactions.remove."""
    message, name, users = _target(services, args)
    bot = services.postings.workspace.bot.id
    if bot not in users:
        raise ApiError("no_reaction")
    left = {**message.reactions, name: [each for each in users if each != bot]}
    kept = {emoji: people for emoji, people in left.items() if people}
    services.postings.log.put(replace(message, reactions=kept))
    return {}


async def get(services: Services, args: Arguments) -> Json:
    """reactions.get."""
    channel = joined_channel(services, args)
    message = message_at(services, channel, args.required("timestamp"))
    wire = message.to_wire(services.postings.workspace.team.id)
    return {"type": "message", "channel": channel.id, "message": wire}


def _target(services: Services, args: Arguments) -> tuple[Message, str, list[str]]:
    """The message, the emoji's bare name, and who reacted with it so far."""
    channel = joined_channel(services, args)
    message = message_at(services, channel, args.required("timestamp"))
    name = args.required("name").strip(":")
    return message, name, message.reactions.get(name, [])
