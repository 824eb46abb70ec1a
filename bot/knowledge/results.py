"""What one item of a request has come to, as it is kept and shown."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bot.knowledge.versions import Changes

__all__ = ["Result", "State"]

_NONE = Changes()

type State = Literal["added", "changed", "unchanged", "failed"]


@dataclass(frozen=True, slots=True)
class Result:
    """A document that was ingested, or why there is none (`reason`, a sentence).

    `suspicious` names the sections that hold what a model could take for instructions,
    `duplicates` documents of the very same text. `audience` is the one channel that sees it.
    """

    state: State
    name: str
    reason: str = ""
    document: str | None = None
    audience: str | None = None
    title: str = ""
    service: str = ""
    doc_type: str = ""
    link: str | None = None
    sections: int = 0
    chunks: int = 0
    pages_without_text: Sequence[int] = ()
    duplicates: Sequence[str] = ()
    suspicious: Sequence[str] = ()
    changes: Changes = _NONE

    def to_json(self) -> dict[str, Any]:
        """Return plain values under the names of the fields."""
        return asdict(self)

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> "Result":
        """Return the result that was stored."""
        changes: Mapping[str, Sequence[str]] = stored["changes"]
        values: dict[str, Any] = {
            **stored,
            "changes": Changes(**{name: tuple(each) for name, each in changes.items()}),
        }
        return cls(**values)
