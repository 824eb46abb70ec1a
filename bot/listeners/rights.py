"""Whether somebody may do what they just asked for, wherever they asked."""

from bot import channel_settings
from bot.inbox import Connection
from bot.listeners.parts import Parts
from bot.policy import Right, refusal

__all__ = ["refused"]


async def refused(  # noqa: PLR0913  # who, where, what, and whose
    parts: Parts,
    connection: Connection,
    right: Right,
    *,
    team: str,
    channel: str,
    user: str,
    owner: str | None = None,
) -> str | None:
    """Return the sentence that refuses somebody in a channel, or None when they may."""
    if team != parts.identity.team:
        return "I belong to another workspace, so I can't do this here."
    person = await parts.people.person(user)
    settings = await channel_settings.read(connection, team, channel)
    return refusal(person, right, settings.rules(parts.settings.rules), owner=owner)
