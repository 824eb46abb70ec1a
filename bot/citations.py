"""Citations: which claims an answer makes, and whether each points to a passage. Pure.

Passages go to the answerer under opaque ids (`S1`, `S2`, …); an answer carries them as `[S1]`.
The check renumbers them 1…n by first use and finds the claims that carry none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot import code

__all__ = ["Verdict", "check", "neutral", "passage_ids"]

_MARKER = re.compile(r"\[(S\d+(?:\s*,\s*S\d+)*)\]")
_IDS = re.compile(r"\s*,\s*")
_NUMBER = re.compile(r"\[(\d{1,9})\]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer with its markers renumbered.

    `order` holds the ids in order of first use: marker n is `order[n - 1]`. `unknown` are ids
    that no passage of this turn has (their markers are taken out). `uncited` are the claims
    that carry no valid marker.
    """

    answer: str
    order: tuple[str, ...]
    unknown: tuple[str, ...]
    uncited: tuple[str, ...]

    @property
    def cited(self) -> bool:
        """Whether there is an answer and each of its claims is cited."""
        return bool(self.order) and not self.uncited


def _claims(line: str) -> bool:
    """Headings, rules, table borders and lines that only lead in claim nothing."""
    bare = line.strip()
    return not (bare.startswith("#") or bare.endswith(":") or code.is_rule(bare))


def neutral(quoted: str) -> str:
    """Return a source's words with what would read as a marker of ours taken out of brackets."""
    return code.outside_spans(quoted, lambda prose: _MARKER.sub(r"(\1)", prose))


def passage_ids(count: int) -> tuple[str, ...]:
    """Return the ids of a turn's passages: S1, S2, and so on."""
    return tuple(f"S{number}" for number in range(1, count + 1))


def check(answer: str, known: Sequence[str]) -> Verdict:
    """Renumber an answer's markers and find what is uncited.

    A claim is a line of text outside code; a code block counts as part of the text around it.
    Headings, rules, table borders and lines that only lead in (they end in a colon) claim nothing.
    Markers inside code are code. Numbers in brackets that stood in a quoted source become
    `(1)`, or they would read as footnotes of this answer.
    """
    order: list[str] = []
    used: list[str] = []
    unknown: list[str] = []
    uncited: list[str] = []

    def renumber(match: re.Match[str]) -> str:
        markers: list[str] = []
        for name in _IDS.split(match[1]):
            if name not in known:
                unknown.append(name)
                continue
            used.append(name)
            if name not in order:
                order.append(name)
            markers.append(f"[{order.index(name) + 1}]")
        return " ".join(markers)

    def renumber_all(prose: str) -> str:
        return _MARKER.sub(renumber, _NUMBER.sub(r"(\1)", prose))

    lines: list[str] = []
    for line, is_code in code.lines(answer):
        if is_code:
            lines.append(line)
            continue
        before = len(used)
        lines.append(code.outside_spans(line, renumber_all))
        if line.strip() and len(used) == before and _claims(line):
            uncited.append(line.strip())
    return Verdict("\n".join(lines), tuple(order), tuple(unknown), tuple(uncited))
