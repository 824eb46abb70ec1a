"""What a worker needs for memory: to recall, to keep what is asked to be kept, who asks, where."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.asker import Named, nobody
from bot.memory.keeper import Keeper
from bot.memory.recall import Recall
from bot.places import unnamed

__all__ = ["Mind"]


@dataclass(frozen=True, slots=True)
class Mind:
    """Memory at work in turns.

    `person` tells the name and the time zone of a user, `place` what a channel is called.
    """

    recall: Recall
    keeper: Keeper
    person: Callable[[str], Awaitable[Named]] = nobody
    place: Callable[[str], Awaitable[str]] = unnamed
