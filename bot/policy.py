"""Who may do what. Pure.

Each right is given to groups of people: `members` of the workspace, its `admins` (who are members,
too), its `guests`, `strangers` of other workspaces that share a channel, Slack's user groups by
their ids (S…), and single user ids. Who was deactivated, or isn't known, may do nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bot.person import Person

__all__ = ["DEFAULTS", "Right", "Rules", "refusal"]

type Right = Literal["ask", "ingest", "settings", "delete"]

_MEMBERS: Final = frozenset({"members"})
_SORRY: Final[Mapping[Right, str]] = {
    "ask": "ask me questions",
    "ingest": "add documents",
    "settings": "change my settings",
    "delete": "delete this document",
}


@dataclass(frozen=True, slots=True)
class Rules:
    """Who has each right: names of groups, and user ids.

    What somebody has ingested they may delete, too, whoever else may.
    """

    ask: frozenset[str] = _MEMBERS
    ingest: frozenset[str] = _MEMBERS
    settings: frozenset[str] = _MEMBERS
    delete: frozenset[str] = frozenset({"admins"})

    @property
    def user_groups(self) -> frozenset[str]:
        """The ids of the user groups that have any right."""
        everyone = self.ask | self.ingest | self.settings | self.delete
        return frozenset(each for each in everyone if each.startswith("S"))

    def of(self, right: Right) -> frozenset[str]:
        """Return who has a right."""
        return {
            "ask": self.ask,
            "ingest": self.ingest,
            "settings": self.settings,
            "delete": self.delete,
        }[right]


DEFAULTS: Final = Rules()


def refusal(person: Person, right: Right, rules: Rules, *, owner: str | None = None) -> str | None:
    """Return the sentence that refuses a person, or None when they may.

    Args:
        person: who wants to.
        right: what for.
        rules: who has which right.
        owner: the user who ingested the document in question.
    """
    if person.deactivated:
        return "This account was deactivated, so I do nothing for it."
    if person.unknown:
        return "Slack didn't tell me who you are just now, so I did nothing: try again in a minute."
    allowed = rules.of(right)
    if person.id in allowed or not allowed.isdisjoint(_groups(person)):
        return None
    if right == "delete" and person.id == owner and "members" in _groups(person):
        return None
    return _sentence(person, right, allowed)


def _groups(person: Person) -> frozenset[str]:
    """Return the groups that somebody is in: a guest or a stranger is in none of the members'."""
    if person.stranger:
        return person.groups | {"strangers"}
    if person.guest:
        return person.groups | {"guests"}
    return person.groups | _MEMBERS | ({"admins"} if person.admin else set[str]())


def _sentence(person: Person, right: Right, allowed: frozenset[str]) -> str:
    what = _SORRY[right]
    if person.stranger:
        return f"People of other workspaces can't {what} here: ask a colleague of this one to."
    if person.guest:
        return f"Guests can't {what} here: ask a full member of the workspace to."
    who = "whoever ingested it, and admins," if right == "delete" else ""
    if not who:
        who = "admins" if set(allowed) == {"admins"} else "the people named in my settings"
    return f"Only {who} can {what}: ask one of them."
