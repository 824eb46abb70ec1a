"""What people do in the workspace, and what they see of it.

`Person` is one of them, for tests; `People` holds the rooms by which the page and `Person` act.
"""

from bot.playground.people.people import People
from bot.playground.people.person import Person
from bot.playground.people.places import SYSTEM_USER
from bot.playground.people.receipts import Receipt

__all__ = ["SYSTEM_USER", "People", "Person", "Receipt"]
