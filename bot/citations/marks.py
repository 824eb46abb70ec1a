"""What is said beside a claim: marks, as an answer shows them. Pure."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["LEFT_OUT", "Mark", "MarkKind", "shown"]

type MarkKind = Literal["unsupported", "unrelated", "not_in_runbook", "destructive", "left_out"]

LEFT_OUT = "(A destructive command was left out here: no cited runbook has it in these words.)"

_SHOWN = 3  # details named in an answer
_LONGEST = 60
_WORDS: dict[MarkKind, str] = {
    "unsupported": "not in the cited passage",
    "unrelated": "has nothing in common with the cited passage",
    "not_in_runbook": "not in a runbook",
    "destructive": "destructive, check the target first",
    "left_out": "",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a claim: its kind, and the words of the claim it is about (no backticks)."""

    kind: MarkKind
    details: tuple[str, ...] = ()


def shown(marks: tuple[Mark, ...]) -> str:
    """Return marks as Markdown, to stand after a claim's words; empty when there is nothing to say.

    Details are code spans, so that an underscore or asterisk in them is no markup.
    """
    said = [_one(each) for each in marks if _WORDS[each.kind]]
    return f"⚠ {'; '.join(said)}" if said else ""


def _one(mark: Mark) -> str:
    short = [each for each in mark.details if len(each) <= _LONGEST and each.strip("` ")]
    named = ", ".join(f"`{each}`" for each in short[:_SHOWN])
    return f"{_WORDS[mark.kind]}: {named}" if named else _WORDS[mark.kind]
