"""A person as Slack tells of them; `bot.people` asks it."""

from dataclasses import dataclass

__all__ = ["Person"]


@dataclass(frozen=True, slots=True)
class Person:
    """A user of Slack. `zone` is the IANA name of their time zone.

    A `stranger` belongs to another workspace (Slack Connect), a `guest` is restricted to some
    channels. `groups`: the ids of the user groups, of those that matter, that they are in. Of
    somebody `unknown` Slack told nothing just now, or at least not the groups.
    """

    id: str
    name: str = ""
    zone: str = "UTC"
    admin: bool = False
    guest: bool = False
    stranger: bool = False
    deactivated: bool = False
    groups: frozenset[str] = frozenset()
    unknown: bool = False
