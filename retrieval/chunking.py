"""A document to chunks: on headings, then blocks, then sentences. Pure.

Sections with little text join a neighbour; a chunk that goes on within a section repeats the
end of the one before. A fence or table stays whole up to one and a half times the size; each
further piece of a longer table has the table's header in its context.
"""

import hashlib
import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from retrieval.blocks import Kind, Unit, sentence_starts, units_of
from retrieval.documents import Chunk, Document

__all__ = ["CHUNKER_VERSION", "chunk"]

CHUNKER_VERSION = 3
"""Part of a document's stored hash: when it changes, documents are cut again."""

SMALL_SECTION = 200
"""A section with fewer characters joins a neighbour."""

_SEPARATOR = " \u203a "

# A third of what the embedder sees; deep headings of a page of code would be all of it.
_LONGEST_BREADCRUMB = 400

# The embedder sees some 1,200 characters: a wider header would leave no room for the rows.
_LONGEST_HEADER = 300


@dataclass(frozen=True, slots=True)
class _Section:
    """A stretch under a heading. `path` are the headings above it and its own."""

    start: int
    end: int
    level: int
    path: tuple[str, ...]


def chunk(document: Document, *, size: int = 1200, overlap: int = 150) -> list[Chunk]:
    """Cut a document into chunks of at most `size` characters, `overlap` of them repeated.

    Only a fence or a table may have up to 1.5 times the size. Every character but whitespace is
    in a chunk, and `document.text[chunk.start:chunk.end] == chunk.text`, without whitespace at
    its ends. The same document gives the same chunks.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"The overlap ({overlap}) has to be smaller than the size ({size}).")
    chunks: list[Chunk] = []
    seen: Counter[tuple[str, str]] = Counter()
    for section in _joined(document.text, _sections(document), size):
        breadcrumb = _breadcrumb(document.title, section.path)
        heading = section.path[-1] if section.path else document.title
        for start, own, end, header in _spans(document.text, section, size, overlap):
            text = document.text[start:end]
            context = "\n".join(part for part in (breadcrumb, header) if part)
            chunks.append(
                Chunk(
                    id=_identity(document, context, text, seen[context, text]),
                    position=len(chunks),
                    start=start,
                    end=end,
                    text=text,
                    context=context,
                    heading=heading,
                    page=_page(document, own),
                )
            )
            seen[context, text] += 1
    return chunks


def _sections(document: Document) -> Iterator[_Section]:
    """The text before the first heading, then one section a heading, up to the next one."""
    ends = [*(heading.start for heading in document.headings), len(document.text)]
    yield _Section(0, ends[0], 0, ())
    above: list[tuple[int, str]] = []
    for heading, end in zip(document.headings, ends[1:], strict=True):
        above = [(level, title) for level, title in above if level < heading.level]
        above.append((heading.level, heading.title))
        path = tuple(title for _, title in above if title)
        yield _Section(heading.start, end, heading.level, path)


def _joined(text: str, sections: Iterator[_Section], size: int) -> list[_Section]:
    """Join each small section to the next of its level or a deeper one, else to the one before.

    The joined section is called after the first one that has more than its heading.
    """
    joined: list[_Section] = []
    for section in sections:
        if not text[section.start : section.end].strip():
            continue
        last = joined[-1] if joined else None
        if last and _length(text, last) < SMALL_SECTION and section.level >= last.level:
            named = last if _has_body(text, last) else section
            joined[-1] = replace(last, end=section.end, path=named.path)
        else:
            joined.append(section)
    kept: list[_Section] = []
    for section in joined:
        last = kept[-1] if kept else None
        if last and _length(text, section) < SMALL_SECTION:
            both = replace(last, end=section.end)
            if _length(text, both) <= size:
                kept[-1] = both
                continue
        kept.append(section)
    return kept


def _length(text: str, section: _Section) -> int:
    return len(text[section.start : section.end].strip())


def _has_body(text: str, section: _Section) -> bool:
    """Whether there is more than the heading's own line, and the line under a setext heading."""
    lines = [line for line in text[section.start : section.end].split("\n") if line.strip()]
    if not section.level:
        return bool(lines)
    return any(line.strip(" -=") for line in lines[1:])


def _breadcrumb(title: str, path: Sequence[str]) -> str:
    """Title and headings, each once: a first heading often repeats the title.

    When that is too long, the headings in the middle are left out, the outer ones first.
    """
    same = _folded(title)
    parts = [part for part in (title, *(part for part in path if _folded(part) != same)) if part]
    ends = 2  # the title and the last heading stay
    while len(parts) > ends and len(_SEPARATOR.join(parts)) > _LONGEST_BREADCRUMB:
        del parts[1]
    return _SEPARATOR.join(parts)[:_LONGEST_BREADCRUMB].rstrip()


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())


def _spans(
    text: str, section: _Section, size: int, overlap: int
) -> Iterator[tuple[int, int, int, str]]:
    """Where each chunk of a section begins, where what it doesn't repeat begins, where it ends.

    Whitespace at both ends is left out. Fourth, the header of the table that it goes on with.
    """
    stretch = text[section.start : section.end]
    bare = stretch.strip()
    if len(bare) <= size:  # most sections: nothing to cut, so no borders to look for
        start = section.start + len(stretch) - len(stretch.lstrip())
        if bare:
            yield start, start, start + len(bare), ""
        return
    units = units_of(stretch, largest=size - overlap, largest_whole=size * 3 // 2)
    starts = [unit.start for unit in units]
    ends = [*starts[1:], len(stretch)]
    before: Sequence[Unit] = ()
    for group in _packed(stretch, units, ends, size, overlap):
        own, end = starts[group.start], ends[group.stop - 1]
        start = _with_overlap(stretch, before, own, end, size, overlap) if before else own
        before = units[group.start : group.stop]
        bare = stretch[start:end]
        start += len(bare) - len(bare.lstrip())
        end -= len(bare) - len(bare.rstrip())
        if start < end:
            yield (
                section.start + start,
                section.start + max(start, own),
                section.start + end,
                _header(stretch, units[group.start]),
            )


def _header(text: str, first: Unit) -> str:
    """The header of the table that a chunk's first unit goes on with; none for its beginning."""
    if first.header is None or first.start < first.header[1]:
        return ""
    header = text[slice(*first.header)].strip()
    return header if len(header) <= _LONGEST_HEADER else ""


def _packed(
    text: str, units: Sequence[Unit], ends: Sequence[int], size: int, overlap: int
) -> Iterator[range]:
    """Fill chunks with whole units, leaving every one after the first room for the overlap."""
    groups: list[range] = []
    first = 0
    for number in range(1, len(units)):
        room = size - overlap if groups else size
        if len(text[units[first].start : ends[number]].strip()) > room:
            groups.append(range(first, number))
            first = number
    groups.append(range(first, len(units)))
    if len(groups) > 1:
        groups[-2:] = _evened(text, units, ends, groups[-2], groups[-1])
    return iter(groups)


def _evened(
    text: str, units: Sequence[Unit], ends: Sequence[int], left: range, right: range
) -> tuple[range, range]:
    """Give a last chunk that would be a mere line some units of the one before it."""
    cut = right.start

    def length(start: int, stop: int) -> int:
        return len(text[units[start].start : ends[stop - 1]].strip())

    while length(cut, right.stop) < SMALL_SECTION and cut - 1 > left.start:
        if length(cut - 1, right.stop) > length(left.start, cut - 1):
            break
        cut -= 1
    return range(left.start, cut), range(cut, right.stop)


def _with_overlap(  # noqa: PLR0913, PLR0917 - one call, all of one computation
    text: str, before: Sequence[Unit], start: int, end: int, size: int, overlap: int
) -> int:
    """Where a chunk begins when it repeats whole sentences of the one before, or `start`.

    Nothing of a fence or table is repeated: a half of one would turn the rest into code.
    """
    floor = start
    for unit in reversed(before):
        if unit.kind is not Kind.PROSE:
            break
        floor = unit.start
    content_end = len(text[:start].rstrip())
    from_ = max(floor, content_end - overlap, len(text[:end].rstrip()) - size)
    borders = [unit.start for unit in before]
    window = max(from_ - 1, 0)
    borders.extend(window + at for at in sentence_starts(text[window:start]))
    return min((at for at in borders if from_ <= at < start), default=start)


def _identity(document: Document, context: str, text: str, occurrence: int) -> str:
    """The same for the same content of the same document, wherever in it the chunk stands."""
    identity = [document.team, document.audience, document.source, context, text, occurrence]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:24]


def _page(document: Document, start: int) -> int | None:
    number = bisect_right(document.pages, start, key=lambda page: page.start)
    return document.pages[number - 1].page if number else None
