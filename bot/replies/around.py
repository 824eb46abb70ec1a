"""What a reply shows beside its outcome: dates, owners, and what can be clicked. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

__all__ = ["NOTHING", "Around"]


@dataclass(frozen=True, slots=True)
class Around:
    """What is known when a reply is shown. Without a `turn` there is nothing to click.

    `dates`: when each document was last changed, by its id. `owners`: the channel that owns a
    service's runbooks, by service. `oncall`: whom *Ask the on-call* would ask, if anybody.
    `private`: only whoever asked sees it, and may share it.
    """

    turn: str = ""
    dates: Mapping[str, date] = field(default_factory=dict[str, date])
    owners: Mapping[str, str] = field(default_factory=dict[str, str])
    oncall: str | None = None
    private: bool = False


NOTHING = Around()
