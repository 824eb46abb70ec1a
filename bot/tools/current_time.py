"""What time it is somewhere: runbooks and alerts speak of UTC, people of their own."""

import asyncio
import difflib
from datetime import UTC
from functools import cache
from typing import Annotated, Final
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field

from bot.tools.tool import Arguments, Context, Result, TryAgain

__all__ = ["CurrentTime"]

_NEAR: Final = 3
_LIKE: Final = 0.6  # how alike names have to be to be offered

# Abbreviations are no names of zones, and some mean several.
_ABBREVIATED: Final = {
    "bst": "Europe/London",
    "cdt": "America/Chicago",
    "cest": "Europe/Berlin",
    "cst": "America/Chicago",
    "edt": "America/New_York",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo",
    "mdt": "America/Denver",
    "pdt": "America/Los_Angeles",
    "pst": "America/Los_Angeles",
}


class TimeArguments(Arguments):
    """Where."""

    zone: Annotated[
        str,
        Field(
            max_length=60,
            description="An IANA name such as Europe/Berlin or UTC; the asker's own if left out.",
        ),
    ] = ""


class CurrentTime:
    """Tells date, time and weekday in a time zone, and the same in UTC."""

    name: str = "current_time"
    description: str = "The current date, time and weekday in a time zone, and in UTC."
    citable: bool = False
    arguments: type[TimeArguments] = TimeArguments

    async def run(self, arguments: TimeArguments, context: Context) -> Result:
        """Return the time.

        Raises:
            TryAgain: there is no such zone.
        """
        zone = await asyncio.to_thread(_zone, arguments.zone or context.zone)  # it reads files
        now = context.now().astimezone(zone)
        return Result(
            f"{now:%A}, {now.isoformat(sep=' ', timespec='seconds')} in {zone.key} ({now:%Z});"
            f" {now.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC; Unix time {int(now.timestamp())}"
        )


def _zone(name: str) -> ZoneInfo:
    """Return a time zone; capitals and spaces don't matter.

    Raises:
        TryAgain: there is none of that name; those of similar names are told.
    """
    zones = _zones()
    wanted = "_".join(name.split()).casefold()
    if wanted in zones:
        return ZoneInfo(zones[wanted])
    # A city is the last part of a name; "Berlin" alone is unlike "europe/berlin" as a whole.
    cities = {each.rpartition("/")[2]: each for each in zones}
    city = wanted.rpartition("/")[2]
    if wanted in _ABBREVIATED:
        raise TryAgain(f"{name} is no name of a zone: did you mean {_ABBREVIATED[wanted]}?")
    near = [city] if city in cities else difflib.get_close_matches(city, cities, _NEAR, _LIKE)
    near = [zones[cities[each]] for each in near]
    hint = (
        f"did you mean {' or '.join(near)}?" if near else "give one such as Europe/Berlin or UTC."
    )
    raise TryAgain(f"There is no time zone of that name: {hint}")


@cache
def _zones() -> dict[str, str]:
    """Return the names of all zones by their small letters."""
    return {name.casefold(): name for name in sorted(available_timezones())}
