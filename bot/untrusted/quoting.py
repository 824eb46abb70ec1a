"""Injections found in a text, and quoted where they stand. Pure, and linear in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot import code
from bot.citations import neutral
from bot.untrusted.patterns import PATTERNS, Kind, Pattern
from bot.untrusted.reading import readings, without_digits

__all__ = ["Finding", "defused", "findings"]

_FARTHEST: Final = 400  # characters after a match that are quoted with it
_LINE: Final = re.compile(r"\n")
# A list, a quote, a table, a heading or a fence is something else again, and so is a blank line.
_PARAGRAPH: Final = re.compile(r"\n(?=[ \t]*(?:\n|[-*+>#|] |\|\S|\d{1,3}[.)] |```|~~~))")
_FORGED: Final = re.compile(
    r"[\[［【]\^?S\d{1,3}[A-Z]{2}(?:[\s,;&]{1,3}S\d{1,3}[A-Z]{2}){0,9}[\]］】†:|]", re.IGNORECASE
)
_BEFORE: Final = " \t\r\n\"'“”*_>#-"
_BRACKETS: Final = str.maketrans("<>[]⟦⟧", "‹›()()")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a text that a model could take for an instruction, and where it stands."""

    kind: Kind
    start: int
    end: int


def findings(text: str) -> tuple[Finding, ...]:
    """Return what was found, in the order of the text; stretches may overlap."""
    found = {Finding(pattern.kind, start, end) for pattern, start, end in _matches(text)}
    prose = code.masked(text)
    found |= {Finding("forged_citation", *match.span()) for match in _FORGED.finditer(prose)}
    return tuple(sorted(found, key=lambda each: (each.start, each.end, each.kind)))


@lru_cache(maxsize=2048)
def defused(text: str) -> str:
    """Return the copy of a text that goes into a prompt.

    Injections are quoted, up to the end of their line or paragraph; what reads as one of our
    citation markers loses its brackets. A text without either is returned as it is.

    Remembered, since a team's questions bring the same passages, titles and services again.
    """
    pieces: list[str] = []
    done = 0
    for start, end in _stretches(text):
        pieces += [neutral(text[done:start]), f"⟦quoted: {_legible(text[start:end])}⟧"]
        done = end
    return "".join([*pieces, neutral(text[done:])])


def _matches(text: str) -> Iterator[tuple[Pattern, int, int]]:
    """Give each match with its place in the text, without the marks and blanks before it."""
    for reading in readings(text):
        letters = without_digits(reading.letters)
        small = letters.lower()
        for pattern in PATTERNS:
            if any(word in small for word in pattern.needs):
                for match in pattern.regex.finditer(letters):
                    if match.lastgroup == "fine":
                        continue
                    start = match.start() + len(match[0]) - len(match[0].lstrip(_BEFORE))
                    yield pattern, *reading.place(start, match.end())


def _stretches(text: str) -> list[tuple[int, int]]:
    """Return what is to be quoted, in order and apart from each other."""
    found = sorted((start, _reach(text, pattern, end)) for pattern, start, end in _matches(text))
    apart: list[tuple[int, int]] = []
    for start, end in found:
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def _reach(text: str, pattern: Pattern, end: int) -> int:
    """Return the end of what belongs to a match that ends here."""
    if pattern.reach == "match":
        return end
    farthest = min(len(text), end + _FARTHEST)
    stop = (_LINE if pattern.reach == "line" else _PARAGRAPH).search(text, end, farthest)
    return stop.start() if stop else farthest


def _legible(text: str) -> str:
    """Return words that can be read and are no sentence, on one line, without brackets."""
    return "·".join(readings(text)[0].letters.translate(_BRACKETS).split())
