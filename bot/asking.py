"""Who may ask. In an incident it is asked for leniently: whom Slack doesn't tell of may.

An outsider may not, when it is only their user groups that Slack doesn't tell.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.events import is_bot
from bot.person import Person
from bot.policy import Rules, refusal

__all__ = ["Asking"]


@dataclass(frozen=True, slots=True)
class Asking:
    """Knows the rules. Bots, which a channel's settings let in, are no people.

    Slack lets nobody write where they don't belong, so an answer in the same place tells them
    nothing that others there don't see.
    """

    person: Callable[[str], Awaitable[Person]]
    rules: Rules

    async def refusal(self, user: str) -> str | None:
        """Return the sentence that refuses a user's question, or None when they may ask."""
        if is_bot(user):
            return None
        person = await self.person(user)
        if person.unknown and not (person.guest or person.stranger or person.deactivated):
            return None
        return refusal(replace(person, unknown=False), "ask", self.rules)
