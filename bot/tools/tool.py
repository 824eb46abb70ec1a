"""What a tool is: a name, typed arguments, something to run, and what it may use.

class Uptime:
    name: str = "uptime"
    description: str = "How long a host has been up."
    citable: bool = False
    arguments: type[UptimeArguments] = UptimeArguments

    async def run(self, arguments: UptimeArguments, context: Context) -> Result:
        return Result("3 days")
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Protocol, cast

from pydantic import BaseModel, ConfigDict, model_validator

from retrieval.documents import Filters, Passage, SearchResult, Section

__all__ = [
    "Arguments",
    "Context",
    "Known",
    "Reading",
    "Result",
    "Searching",
    "Tool",
    "ToolFailed",
    "TryAgain",
]

type Searching = Callable[[str, Filters], Awaitable[SearchResult]]
"""Searches for words within filters."""

type Reading = Callable[[str, Filters], Awaitable[Section | None]]
"""Gives what stands around a chunk, by its id; None when nobody with these rights has it."""

type Known = Callable[[str], Passage | None]
"""Gives the passage that the model was shown under an id."""


class TryAgain(Exception):
    """The model can mend this call; the message, one sentence, tells it how."""


class ToolFailed(Exception):
    """No other arguments would help; the message, one sentence, tells the model so."""


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """What a tool may use.

    `filters` are the question's own, with the rights of whoever asked: a tool may narrow them
    and never leaves them. `zone` is the IANA name of the asker's time zone; `now` tells the time.
    """

    search: Searching
    section: Reading
    passage: Known
    filters: Filters
    zone: str = "UTC"
    now: Callable[[], datetime] = _now


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gives: words, and passages that an answer may cite. All of it is data."""

    text: str
    passages: tuple[Passage, ...] = ()


class Arguments(BaseModel):
    """The base of what tools take: forgiving about form, since a model wrote it.

    Null counts as left out, a number is text where text is wanted, names that nobody knows are
    dropped. A field with an empty default reads better to a model than an optional one.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, coerce_numbers_to_str=True, str_strip_whitespace=True
    )

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        named = cast("Mapping[str, object]", given)
        return {name: value for name, value in named.items() if value is not None}


class Tool(Protocol):
    """One thing that a model may do."""

    @property
    def name(self) -> str:
        """What the model calls it by: letters, digits, `_` and `-`."""
        ...

    @property
    def description(self) -> str:
        """What it is for and when to use it, to the model."""
        ...

    @property
    def citable(self) -> bool:
        """Whether an answer may cite its passages; of those of another only the words count."""
        ...

    @property
    def arguments(self) -> type[BaseModel]:
        """What it takes. The descriptions of the fields are told to the model."""
        ...

    async def run(self, arguments: Any, context: Context) -> Result:
        """Return what the call gives. What blocks belongs into `asyncio.to_thread`.

        Raises:
            TryAgain: other arguments may do.
            ToolFailed: none would.
        """
        ...
