"""What tests of tools call them with: a context that searches nothing real."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.model import ToolCall
from bot.tools import Context, Registry, Result
from retrieval.documents import Filters, Near, Passage, SearchResult, Section

__all__ = ["NOON", "Library", "call", "passage", "run"]

NOON = datetime(2026, 7, 14, 12, 0, 0, tzinfo=UTC)


def passage(name: str = "c1", text: str = "Words.") -> Passage:
    """A passage."""
    return Passage(name, "d", "s.md", "T", "H", "", None, "payments", "runbook", None, text)


@dataclass
class Library:
    """Stands for the store: it gives what it holds, and notes what it was asked."""

    found: tuple[Passage, ...] = ()
    nearest: tuple[Near, ...] = ()
    no_match: bool = False
    known: Mapping[str, Passage] = field(default_factory=dict)
    sections: Mapping[str, Section] = field(default_factory=dict)
    filters: Filters = field(default_factory=Filters)
    zone: str = "UTC"
    asked: list[tuple[str, Filters]] = field(default_factory=list)

    async def search(self, query: str, filters: Filters) -> SearchResult:
        """Find what there is."""
        self.asked.append((query, filters))
        candidates = self.found or (() if not self.nearest else (passage(),))
        return SearchResult(
            query, filters, self.found, candidates, self.nearest, 0.3, no_match=self.no_match
        )

    async def section(self, chunk_id: str, filters: Filters) -> Section | None:
        """Give a section."""
        self.asked.append((chunk_id, filters))
        return self.sections.get(chunk_id)

    def context(self) -> Context:
        """The context of a call."""
        return Context(
            self.search, self.section, self.known.get, self.filters, self.zone, lambda: NOON
        )


def call(name: str, arguments: Any) -> ToolCall:
    """A call as a model makes it; text goes as it is."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall("call-1", name, raw)


async def run(name: str, arguments: Any, library: Library | None = None) -> Result:
    """What a tool of the project gives."""
    context = (library or Library()).context()
    return await REGISTRY.call(call(name, arguments), context)


REGISTRY = Registry.found()
