"""Two versions of a document compared, section by section. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any

from retrieval.catalogue import Piece
from retrieval.readers.markdown import find_headings

__all__ = ["Changes", "Version", "as_json", "compare", "of_json", "sections", "version"]

type Version = Mapping[str, str]
"""The sections of a document: the words of each heading, and a hash of what stands below it.

What stands before the first heading has none.
"""


@dataclass(frozen=True, slots=True)
class Changes:
    """The headings of sections that are new, gone, or read otherwise."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def version(pieces: Iterable[Piece]) -> Version:
    """Return a document's sections in order, those of one heading as one."""
    texts: dict[str, list[str]] = {}
    for heading, text in sections(pieces):
        texts.setdefault(heading, []).append(text)
    return {
        heading: sha256("\0".join(each).encode(errors="replace")).hexdigest()[:16]
        for heading, each in texts.items()
    }


def sections(pieces: Iterable[Piece]) -> list[tuple[str, str]]:
    """Return the heading of each section, and what stands below it."""
    text = _whole(pieces)
    headings = find_headings(text)
    borders = [*(each.start for each in headings), len(text)]
    before = text[: borders[0]].strip()
    found = [("", before)] if before else []
    for heading, (start, end) in zip(headings, pairwise(borders), strict=True):
        found.append((heading.title, text[start:end].partition("\n")[2].strip()))
    return found


def _whole(pieces: Iterable[Piece]) -> str:
    """Put a document's text together again; between chunks there was nothing but space."""
    text = ""
    for piece in pieces:
        text += "\n" * (piece.start - len(text))
        text += piece.text[len(text) - piece.start :]
    return text


def compare(before: Version, after: Version) -> Changes:
    """Return what has changed from one version to the next."""
    return Changes(
        added=tuple(each for each in after if each not in before),
        removed=tuple(each for each in before if each not in after),
        changed=tuple(each for each in after if each in before and before[each] != after[each]),
    )


def as_json(version: Version) -> list[list[str]]:
    """Return a version as plain values that keep its order."""
    return [[heading, digest] for heading, digest in version.items()]


def of_json(stored: Sequence[Sequence[Any]]) -> Version:
    """Return the version that was stored."""
    return {str(heading): str(digest) for heading, digest in stored}
