"""What the Home tab shows of a person's memories, to that person alone."""

from collections.abc import Sequence

from bot.listeners.forms import Block
from bot.listeners.parts import Parts
from bot.memory import Memories, Owner
from bot.memory.shown import section

__all__ = ["memories_for"]

_SHOWN = 5


async def memories_for(parts: Parts, user: str) -> Sequence[Block]:
    """Return the blocks about a user's memories.

    Raises:
        QueryFailed: the database is down.
    """
    memories = Memories(parts.pool, parts.settings.memory_limit)
    owner = Owner(parts.identity.team, user)
    found, total = await memories.page(owner, _SHOWN, 0)
    return section(found, total, on=await memories.enabled(owner))
