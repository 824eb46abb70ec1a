"""Where a Markdown or plain text may be cut: its blocks, and the sentences of the long ones."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from semantic_text_splitter import TextSplitter

__all__ = ["Kind", "Unit", "sentence_starts", "units_of"]

# After a full stop and what closes a quotation or bracket; CJK full stops need no space.
# A full stop behind one of these ends no sentence.
_ABBREVIATIONS = "".join(
    rf"(?<!\b{word})" for word in (r"e\.g", r"i\.e", "cf", "vs", "approx", "No", "Fig")
)
# Looked for by what may end it: at each character the abbreviations would be tried, eight times as
# slow.
_END = r"(?=[.!?\n\u3002\uff01\uff1f])"
_SENTENCE = re.compile(
    _END + _ABBREVIATIONS + r"(?:[.!?][\"')\]*_`]*\s+|[\u3002\uff01\uff1f]\s*|\n\s*)(?=\S)"
)
_SLAB = 20_000
_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
_WHOLE = frozenset({"fence", "code_block", "table_open", "html_block"})
_CONTAINERS = frozenset({
    "bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open",
})  # fmt: skip


class Kind(Enum):
    """What a unit is: prose may be repeated in the next chunk, a fence or table may not."""

    PROSE = "prose"
    WHOLE = "whole"  # holds a fence, code or a table; never cut, so it may exceed the size
    PART = "part"  # a line of a fence or table that had to be cut


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of text that is not cut further; it ends where the next begins.

    A line of a cut table knows where the table's header stands: (start, end).
    """

    start: int
    kind: Kind
    header: tuple[int, int] | None = None


def units_of(text: str, *, largest: int, largest_whole: int) -> list[Unit]:
    """Cut a text into units: blocks, and where they exceed `largest` what is inside of them.

    Containers (lists, items, quotations) give their children, paragraphs their sentences, a
    sentence its lines or words, a fence or table above `largest_whole` its lines. The units
    cover the text from its beginning to its end.
    """
    lines = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    lines[-1] = len(text)
    cutter = _Cutter(text, lines, largest, largest_whole)
    units = cutter.cut(_PARSER.parse(text), 0, len(text))
    return list({unit.start: unit for unit in units}.values())


def sentence_starts(text: str) -> Iterator[int]:
    """Where a sentence or line begins, the first left out."""
    return (match.end() for match in _SENTENCE.finditer(text))


def _outermost(tokens: Sequence[Token]) -> Iterator[tuple[Token, Sequence[Token]]]:
    """The outermost blocks among a parser's tokens: what opens each, and what is inside of it."""
    opened = 0
    for at, token in enumerate(tokens):
        if token.level > tokens[0].level:
            continue
        if token.nesting >= 0:
            opened = at
        if token.nesting <= 0:
            yield tokens[opened], tokens[opened + 1 : at]


@dataclass(frozen=True, slots=True)
class _Cutter:
    text: str
    lines: Sequence[int]  # where each line begins, and at last where the text ends
    largest: int
    largest_whole: int

    def cut(self, tokens: Sequence[Token], start: int, end: int) -> Iterator[Unit]:
        """Cut a stretch that holds these blocks; what lies between blocks is prose."""
        at = start
        for block, inside in _outermost(tokens):
            if block.map is None:
                continue
            begin = max(at, self.lines[block.map[0]])
            finish = min(end, self.lines[block.map[1]])
            if self.text[at:begin].strip():
                yield from self._sentences(at, begin)
            if finish > begin:
                yield from self._block(block, inside, begin, finish)
                at = finish
        if self.text[at:end].strip() or at == start:
            yield from self._sentences(at, end)

    def _block(self, block: Token, inside: Sequence[Token], start: int, end: int) -> Iterator[Unit]:
        size = len(self.text[start:end].strip())
        holds_code = any(token.type in _WHOLE for token in (block, *inside))
        if size <= self.largest:
            yield Unit(start, Kind.WHOLE if holds_code else Kind.PROSE)
        elif block.type in _WHOLE:
            if size <= self.largest_whole:
                yield Unit(start, Kind.WHOLE)
            else:
                yield from self._lines(start, end, is_table=block.type == "table_open")
        elif holds_code or block.type in _CONTAINERS:
            yield from self.cut(inside, start, end)
        else:
            yield from self._sentences(start, end)

    def _sentences(self, start: int, end: int) -> Iterator[Unit]:
        if len(self.text[start:end].strip()) <= self.largest:
            yield Unit(start, Kind.PROSE)
            return
        stretch = self.text[start:end]
        # A line may end anywhere in a sentence, and a sentence at the end of a line.
        starts = [at.end() for at in _SENTENCE.finditer(stretch) if not at.group().startswith("\n")]
        for begin, finish in pairwise([0, *starts, len(stretch)]):
            yield from self._pieces(start + begin, start + finish, Kind.PROSE)

    def _lines(self, start: int, end: int, *, is_table: bool) -> Iterator[Unit]:
        header = (start, self._end_of_line(start, end)) if is_table else None
        begin = start
        while begin < end:
            finish = self._end_of_line(begin, end)
            yield from self._pieces(begin, finish, Kind.PART, header)
            begin = finish

    def _end_of_line(self, start: int, end: int) -> int:
        newline = self.text.find("\n", start, end)
        return end if newline < 0 else newline + 1

    def _pieces(
        self, start: int, end: int, kind: Kind, header: tuple[int, int] | None = None
    ) -> Iterator[Unit]:
        """What has no better border is cut at lines, words, or at last between characters."""
        if len(self.text[start:end].strip()) <= self.largest:
            yield Unit(start, kind, header)
            return
        splitter = TextSplitter(self.largest, trim=False)
        while start < end:
            stop = self._slab(start, end)
            for offset, _ in splitter.chunk_indices(self.text[start:stop]):
                yield Unit(start + offset, kind, header)
            start = stop

    def _slab(self, start: int, end: int) -> int:
        """Where to stop for now: the splitter's time grows with the square of its text."""
        if end - start <= _SLAB:
            return end
        border = max(self.text.rfind(mark, start, start + _SLAB) for mark in "\n ")
        return border + 1 if border >= start else start + _SLAB
