"""The gaps as a person may see them where they look: for `/footnote gaps` and the Home tab."""

from bot import gaps
from bot.listeners.parts import POOL_SECONDS, Parts
from bot.replies import Block
from bot.replies.gaps import render_gaps

__all__ = ["gaps_for"]


async def gaps_for(parts: Parts, user: str, channel: str | None = None) -> list[Block]:
    """Return the blocks that list what was asked and not answered.

    In a channel its own questions are among them; without one (in the Home tab), and for the
    rest, only those of public channels. Guests see those of the channel that they are in.

    Raises:
        psycopg.Error, PoolTimeout: the database is down.
    """
    person = await parts.people.person(user)
    restricted = person.guest or person.stranger or person.deactivated or person.unknown
    async with parts.pool.connection(timeout=POOL_SECONDS) as connection:
        found = await gaps.read(connection, parts.identity.team)
    return render_gaps(await gaps.seen(found, parts.places, channel, only_here=restricted))
