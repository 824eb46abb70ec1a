"""Who may ask. In an incident it is asked for leniently: whom Slack doesn't tell of may."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

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
        return None if person.unknown else refusal(person, "ask", self.rules)
