"""Who asks, where and when: what a model is told of it as working memory. Pure but for the clock.

All of it is data: people choose their names.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.untrusted import block, one_line
from retrieval.documents import Filters

__all__ = ["Asker", "Named", "asker", "nobody", "working_memory"]


class Named(Protocol):
    """What Slack tells of a person: a name, and the IANA name of their time zone."""

    @property
    def name(self) -> str:
        """The display name; empty when unknown."""
        ...

    @property
    def zone(self) -> str:
        """Such as Europe/Berlin."""
        ...


@dataclass(frozen=True, slots=True)
class Asker:
    """Whoever asks. `channel` is what the place is called, or its id."""

    name: str = ""
    zone: str = "UTC"
    channel: str = ""


def asker(person: Named, place: str) -> Asker:
    """Return who asks, and what the place is called."""
    return Asker(person.name, person.zone, place)


async def nobody(_user: str) -> Named:
    """Tell nothing about a person."""
    return Asker()


def working_memory(asker: Asker, filters: Filters, model: str, now: datetime) -> str:
    """Return the block that says who asks, where, and when that is for them.

    Args:
        asker: who asks.
        filters: what the question is narrowed to.
        model: the name of the model that is told this.
        now: the time, with its zone.
    """
    zone, here = _zoned(asker.zone)
    lines = {
        "Now": f"{now.astimezone(here):%A, %d %B %Y, %H:%M} ({zone})",
        "Asked by": asker.name,
        "Channel": asker.channel,
        "Only service": ", ".join(filters.services),
        "Only type": ", ".join(filters.doc_types),
        "Model": model,
    }
    said = [f"{key}: {named}" for key, value in lines.items() if (named := one_line(value))]
    return block("working memory", "\n".join(said))


def _zoned(name: str) -> tuple[str, ZoneInfo]:
    try:
        return name, ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC", ZoneInfo("UTC")
