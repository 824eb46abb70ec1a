"""What an ingest tells: one source at a time while it runs, and all of it at the end."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Failure", "IngestReport", "PagesWithoutText", "Progress", "State"]

type State = Literal["added", "changed", "unchanged", "failed"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that couldn't be ingested, and the sentence that says why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class PagesWithoutText:
    """The pages of a source that hold no text, only pictures perhaps."""

    source: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """One source is done: the `done`-th of `total`."""

    done: int
    total: int
    source: str
    state: State


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, in documents.

    `taken_over` of them, changed or not, had come from another collection before. `skipped`
    counts the files never looked into.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    taken_over: int = 0
    failed: tuple[Failure, ...] = ()
    skipped: int = 0
    chunks_written: int = 0
    pages_without_text: tuple[PagesWithoutText, ...] = ()
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values under the names of the fields."""
        return {**asdict(self), "seconds": round(self.seconds, 3)}
