"""What a tool is: a name, typed arguments, and something to run."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from retrieval.documents import Filters, Passage, SearchResult

__all__ = ["Context", "Result", "Searching", "Tool", "ToolFailed", "TryAgain"]

type Searching = Callable[[str, Filters], Awaitable[SearchResult]]


class TryAgain(Exception):
    """The model can mend this call; the message tells it how."""


class ToolFailed(Exception):
    """No other arguments would help; the message tells the model so."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a tool may use: the turn's search, and what the question is limited to."""

    search: Searching
    filters: Filters


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gives: words, and passages that may be cited."""

    text: str
    passages: tuple[Passage, ...] = ()


class Tool(Protocol):
    """One thing that a model may do."""

    @property
    def name(self) -> str:
        """What the model calls it by."""
        ...

    @property
    def description(self) -> str:
        """What it is for, to the model."""
        ...

    @property
    def arguments(self) -> type[BaseModel]:
        """What it takes."""
        ...

    async def run(self, arguments: Any, context: Context) -> Result:
        """Return what the call gives.

        Raises:
            TryAgain: other arguments may do.
            ToolFailed: none would.
        """
        ...
