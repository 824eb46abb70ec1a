"""How a turn ends: the answer with its footnotes, or why there is none.

An Outcome is stored once, as JSON, when the turn is committed; whatever is shown later is
rendered from what was stored, so a retry never answers anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from retrieval.documents import Near, Passage

__all__ = ["Citation", "Outcome", "Searched", "StopReason", "dump", "load"]

type StopReason = Literal[
    "cited",
    "no_match",
    "uncited",
    "budget",
    "cancelled",
    "superseded",
    "error",
    "noted",
    "unheard",
]


@dataclass(frozen=True, slots=True)
class Citation:
    """One footnote: its number in the answer and the passage it points to, text included."""

    marker: int
    passage: Passage


@dataclass(frozen=True, slots=True)
class Searched:
    """One search of the turn: the words and the filters it used."""

    query: str
    services: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a turn came to.

    `answer` is Markdown with markers [1]…[n], empty unless the stop reason is `cited`.
    `passages` are the four best chunks, also when they were refused as no match. `notes` are
    sentences about what was degraded. `incident` is the id to quote when asking for help.
    `max_distance` is the largest distance that would have counted as a match. `removed` counts the
    uncited claims that were taken out of the answer. `model` names the chat model that was asked,
    if one was. `memories` counts those of the `asker`, a user's id, that were used. `offers` are
    the filters that a name nobody knows may stand for. `noted`: the bot did what it was told about
    itself; the one note says what. `heard` is what was said in audio clips; `unheard`: they
    couldn't be listened to, and the one note says why.
    """

    stop_reason: StopReason
    answer: str = ""
    citations: tuple[Citation, ...] = ()
    passages: tuple[Passage, ...] = ()
    nearest: tuple[Near, ...] = ()
    searched: tuple[Searched, ...] = ()
    best_distance: float | None = None
    notes: tuple[str, ...] = ()
    incident: str | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float])
    removed: int = 0
    model: str = ""
    max_distance: float | None = None
    memories: int = 0
    asker: str = ""
    offers: tuple[str, ...] = ()
    heard: str = ""


_STORED = TypeAdapter(Outcome)


def dump(outcome: Outcome) -> dict[str, Any]:
    """Return a JSON object that `load` reads back to an equal Outcome."""
    return _STORED.dump_python(outcome, mode="json")


def load(stored: object) -> Outcome:
    """Return the Outcome of a JSON object made by `dump`."""
    return _STORED.validate_python(stored)
