"""The section around a chunk, put together from the chunks that overlap. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from retrieval.documents import Passage, Section

__all__ = ["REACH", "Placed", "page_of", "section_of"]

REACH: Final = 12
"""How many chunks before and after one are looked at: more than are ever given."""

_NEIGHBOURS: Final = 1  # on each side, of a chunk that is a section of its own


@dataclass(frozen=True, slots=True)
class Placed:
    """A chunk and where it stands: its number in the document, and its characters."""

    position: int
    start: int
    end: int
    passage: Passage


def section_of(around: Sequence[Placed], chunk_id: str, *, longest: int) -> Section:
    """Return the section of a chunk, or the chunk and its neighbours when it is the whole section.

    It grows from the chunk forwards and backwards in turn, while it has less than `longest`
    characters; the chunk itself is always whole.

    Args:
        around: chunks of one document in their order, that chunk among them.
        chunk_id: the chunk.
        longest: characters that the section may have.
    """
    here = next(place for place, each in enumerate(around) if each.passage.chunk_id == chunk_id)
    crumb = _breadcrumb(around[here])
    first = last = here
    while first and _breadcrumb(around[first - 1]) == crumb:
        first -= 1
    while last + 1 < len(around) and _breadcrumb(around[last + 1]) == crumb:
        last += 1
    alone = first == last
    if alone:
        first, last = max(0, here - _NEIGHBOURS), min(len(around) - 1, here + _NEIGHBOURS)
    begin, end = _grown(around, here, first, last, longest)
    return Section(
        tuple(_joined(around[begin : end + 1])),
        before=not alone and begin > first,
        after=not alone and end < last,
        alone=alone,
    )


def page_of(around: Sequence[Placed]) -> tuple[Passage, ...]:
    """Return all that is around, nothing twice."""
    return tuple(_joined(around))


def _grown(
    around: Sequence[Placed], here: int, first: int, last: int, longest: int
) -> tuple[int, int]:
    """Return the first and the last chunk that fit."""
    begin = end = here
    onwards, back = True, True
    while onwards or back:
        onwards = onwards and end < last and around[end + 1].end - around[begin].start <= longest
        end += onwards
        back = back and begin > first and around[end].end - around[begin - 1].start <= longest
        begin -= back
    return begin, end


def _joined(chunks: Sequence[Placed]) -> list[Passage]:
    """Return the chunks as passages, each without what it repeats of those before."""
    passages: list[Passage] = []
    done = 0
    for each in chunks:
        repeated = max(0, done - each.start) if passages else 0
        text = each.passage.text[repeated:]
        if text.strip():
            passages.append(replace(each.passage, text=text.lstrip("\n")))
        done = max(done, each.end)
    return passages


def _breadcrumb(chunk: Placed) -> str:
    """Return the title and headings of a chunk; a table's header comes after them."""
    return chunk.passage.context.partition("\n")[0]
