"""The quotable pieces of a passage: sentences, items, rows, and what belongs to a lead-in. Pure.

A code block belongs to the piece before it, and so does a list to the line that leads into it
(it ends in a colon) or to the heading; a command without its sentence would be an invention.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bot import code, rows
from bot.citations.sentences import sentences
from bot.items import Item, Part
from bot.plain import is_command, marked
from bot.wishes import role_of
from retrieval.documents import Passage

__all__ = ["Piece", "is_short", "pieces", "pieces_of"]

_LEAST = 12  # characters of a piece worth quoting
_MOST_STEPS = 8
_LONGEST_LEAD = 400  # characters of a paragraph that stays whole
_MOST_SENTENCES = 3  # of an item with one marker: bot/citations/claims.py reads a longer one apart
_ITEM = re.compile(r"^(?P<indent>\s*)(?P<mark>[-*+]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})(?:\s|$)")
_CRUMB = " › "
_QUOTED = re.compile(r"^ {0,3}(?:> ?)+")
_LINK = re.compile(r"^ {0,3}\[[^\]^\n][^\]\n]{0,200}\]: *\S")  # a definition, which shows nowhere
_PICTURE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_SHOWS = re.compile(
    r"\b(?:examples?|similar\ to|looks?\ like|outputs?|such\ as)\b[^.]{0,60}[:.]?$",
    re.IGNORECASE | re.VERBOSE,
)
_LABELS = re.compile(r"^\W*alertname\W", re.MULTILINE)
_REST = re.compile(r"\s*[a-z]+[ ,;.]")
_LABEL = re.compile(r"(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)")
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)[\"')\]]*\s+(?=[\"'(\[`*_]*[A-Z0-9])"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece, verbatim. `steps` are the list items, and `block` the code, that belong to it.

    `path` has the headings that it stands under, the innermost last. A row has its cells, each with
    the name of its column, in `columns`. `number` is the place in a numbered list of the step that
    it is, or of the first of `steps`; 0 for what is no step. `goes_on`: it goes on with the
    paragraph or item of the piece before.
    """

    position: int
    text: str
    path: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    block: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    number: int = 0
    goes_on: bool = False

    @property
    def heading(self) -> str:
        """The heading it stands under, empty before the first."""
        return self.path[-1] if self.path else ""

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return bool(self.columns)

    @property
    def words(self) -> str:
        """All of it, to be compared with a question."""
        return "\n".join(part for part in (self.text, *self.steps, self.block) if part)

    @property
    def is_steps(self) -> bool:
        """Whether it says what to type or what to do one after the other."""
        return bool(self.steps or (self.block and not self._is_example))

    @property
    def _is_example(self) -> bool:
        """Whether its code only shows what an alert or an answer looks like."""
        if not (_SHOWS.search(self.text) or _LABELS.search(self.block)):
            return False
        typed = (line.strip() for line in self.block.split("\n"))
        return not any(line.startswith("$ ") or is_command(line) for line in typed)


def pieces_of(passage: Passage, above: tuple[str, ...] = ()) -> list[Piece]:
    """Return the pieces of a passage, in order; one with a page number is of a PDF.

    There a chunk may begin within a sentence, and what is left of it says nothing by itself.

    Args:
        passage: the passage.
        above: the headings that it begins under, where they are known better than by its context,
            which names the first of several short sections.
    """
    context = passage.context or passage.title
    if above:
        context = _CRUMB.join(above) + context[len(context.partition("\n")[0]) :]
    if passage.page is None:
        return pieces(passage.text, context)
    found = pieces(marked(passage.text), context)
    begun = [each for each in found[:1] if each.is_steps or not _REST.match(passage.text)]
    return [*begun, *found[1:]]


def pieces(text: str, context: str = "") -> list[Piece]:
    """Cut a passage into its pieces, in order.

    Args:
        text: the passage.
        context: where it begins: `title › h1 › h2`, and below that the header of the table that
            it goes on with.
    """
    crumbs, _, header = context.partition("\n")
    above = tuple(filter(None, crumbs.split(_CRUMB)))
    reader = _Reader(above, rows.cells(header) if header else [])
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        if mark := code.FENCE.match(line):
            end = _fence_end(lines, number, mark["fence"])
            reader.code(_dedent(lines[number:end], mark["fence"]), indented=line[0].isspace())
            number = end
            continue
        reader.line(line)
        number += 1
    return reader.finish()


class _Reader:
    """Takes a passage line by line."""

    def __init__(self, path: tuple[str, ...], header: list[str]) -> None:
        self._found: list[Piece] = []
        self._paragraph: list[str] = []
        self._items: list[Item] = []
        self._header: list[str] = header
        self._row: str | None = None
        self._begun = 0  # the first piece of the last paragraph
        # A heading and its level. Of those before the passage only the order is known. The first
        # is the document's title, and stays; below it most documents go on with `##`.
        again = len(path) > 1 and _bare(path[0]) == _bare(path[1])
        self._above = [
            (place + (not again) if place else 0, each) for place, each in enumerate(path)
        ]

    def line(self, line: str) -> None:
        """Take a line that is no code; what is quoted there is read as if it weren't."""
        line = _QUOTED.sub("", line)
        item = _ITEM.match(line)
        if rows.is_row(line):
            self._table_line(line)
            return
        self._end_table()
        if not line.strip() or _LINK.match(line):
            self._end_paragraph()
        elif (heading := _HEADING.match(line)) or code.is_rule(line):
            self._end_paragraph()
            self._end_list()
            if heading:
                title = line[heading.end() :].strip().rstrip("#").rstrip()
                self._open_section(len(heading["level"]), title)
        elif item:
            self._end_paragraph()
            self._items.append(Item(item["mark"], [Part([line[item.end() :]])]))
        elif (
            self._items and not self._paragraph and (line[0].isspace() or self._items[-1].may_go_on)
        ):
            self._items[-1].line(line)
        else:
            self._end_list()
            self._paragraph.append(line)

    def code(self, block: str, *, indented: bool) -> None:
        """Take a code block, closed and without the indentation of a list.

        Many a list has its code beside it, as if that were of its last item. It is, unless it
        stands apart from a plain one.
        """
        self._end_table()
        if self._items and not self._paragraph:
            if indented or self._items[-1].leads_on:
                self._items[-1].code(block)
                return
            self._end_list()
            self._add("", block=block)
            return
        self._end_paragraph()
        last = self._last()
        if last and not last.is_row and not last.block and last.text:
            lead = self._paragraph_before()
            first = self._found[-len(lead)]
            self._found[-len(lead) :] = [replace(first, text=" ".join(lead), block=block)]
        else:
            self._add("", block=block)

    def finish(self) -> list[Piece]:
        """Return what was found, each with its position."""
        self._end_table()
        self._end_paragraph()
        self._end_list()
        return [
            replace(piece, position=position)
            for position, piece in enumerate(self._found)
            if piece.is_steps or piece.number or len(_PICTURE.sub("", piece.text)) >= _LEAST
        ]

    def _open_section(self, level: int, title: str) -> None:
        """Close the sections that a heading ends, and open its own."""
        known = [heading for _, heading in self._above]
        if title in known:  # the passage begins with it; the document's title stays above all
            level = level if known.index(title) else 0
            self._above = self._above[: known.index(title)]
        else:
            self._above = [each for each in self._above if each[0] < level]
        self._above.append((level, title))

    @property
    def _path(self) -> tuple[str, ...]:
        return tuple(heading for _, heading in self._above)

    def _add(
        self, text: str, *, steps: tuple[str, ...] = (), block: str = "", number: int = 0
    ) -> None:
        self._found.append(Piece(0, text, self._path, steps, block, number=number))

    def _last(self) -> Piece | None:
        """Return the piece that code or a list may belong to: the last one under this heading."""
        last = self._found[-1] if self._found else None
        return last if last and last.path == self._path else None

    def _paragraph_before(self) -> list[str]:
        """Return the pieces that lead into code: all of their paragraph, unless it is long."""
        found = [each.text for each in self._found[self._begun :]]
        return found if is_short(" ".join(found)) else found[-1:]

    def _end_paragraph(self) -> None:
        if self._items and not self._paragraph:
            self._items[-1].line("")  # a blank line: what follows must be indented
            return
        joined = " ".join(line.strip() for line in self._paragraph)
        if not joined:
            return
        self._begun = len(self._found)
        # Who is to do something reads all of it.
        for sentence in _whole(joined, together=role_of(self._path) == "remedy"):
            self._add(sentence)
        self._join(self._begun)
        self._paragraph.clear()

    def _end_list(self) -> None:
        """A numbered list, or one that a colon leads into, is one piece; others are several."""
        items, self._items = self._items, []
        if not items:
            return
        last = self._last()
        leads = last is not None and last.text.endswith(":") and not last.is_steps
        plain = not any(item.has_code for item in items)
        first = int(items[0].mark[:-1]) if items[0].numbered else 0
        if plain and 1 < len(items) <= _MOST_STEPS and (leads or items[0].numbered):
            steps = tuple(f"{item.mark} {text}" for item in items if (text := item.parts[0].text))
            if leads and last is not None:
                self._found[-1] = replace(last, steps=steps, number=first)
            else:
                self._add("", steps=steps, number=first)
            return
        for place, item in enumerate(items):
            self._add_item(item, first + place if first else 0)

    def _add_item(self, item: Item, number: int) -> None:
        """Add what an item says, in its order."""
        begun = len(self._found)
        for part in item.parts:
            sentences = _whole(part.text, together=True) or [""]
            for sentence in sentences[:-1]:
                self._add(sentence, number=number)
            self._add(sentences[-1], block=part.block, number=number)
        self._join(begun)

    def _join(self, begun: int) -> None:
        """Say of all pieces after the first that they go on."""
        rest = self._found[begun + 1 :]
        self._found[begun + 1 :] = [replace(each, goes_on=True) for each in rest]

    def _table_line(self, line: str) -> None:
        """Hold each row back by one line: a rule below it makes it the header."""
        self._end_paragraph()
        self._end_list()
        if code.is_rule(line):
            self._header = rows.cells(self._row) if self._row is not None else []
            self._row = None
            return
        self._add_row()
        self._row = line

    def _add_row(self) -> None:
        columns = rows.named(rows.cells(self._row), self._header) if self._row is not None else ()
        if text := rows.said(columns):
            self._found.append(Piece(0, text, self._path, columns=columns))
        self._row = None

    def _end_table(self) -> None:
        self._add_row()
        self._header = []


def _bare(heading: str) -> str:
    """Return what is left when a title says `Kube Node Not Ready` and its page KubeNodeNotReady."""
    return "".join(heading.split()).casefold()


def _whole(paragraph: str, *, together: bool) -> list[str]:
    """Cut a paragraph into sentences, unless it belongs together.

    It does where a label in bold says what it is about (**Disk.** Delete old indices.) and where
    the caller says so. A long one is then cut into as much as one marker may cover. A sentence of
    a word (Wait.) stays with the next.
    """
    together = together or _LABEL.match(paragraph) is not None
    groups: list[str] = []
    for each in _sentences(paragraph):
        grown = f"{groups[-1]} {each}" if groups else each
        if groups and (together or len(groups[-1]) < _LEAST) and is_short(grown):
            groups[-1] = grown
        else:
            groups.append(each)
    return groups


def is_short(text: str) -> bool:
    """Say whether a text may stay whole: an item with one marker holds no more."""
    return len(text) <= _LONGEST_LEAD and len(sentences(text)) <= _MOST_SENTENCES


def _sentences(paragraph: str) -> list[str]:
    """Cut a paragraph or an item where sentences end; never inside a code span."""
    cuts = [
        0,
        *(match.end() for match in _SENTENCE.finditer(code.masked(paragraph))),
        len(paragraph),
    ]
    found = [paragraph[start:end].strip() for start, end in pairwise(cuts)]
    return [sentence for sentence in found if sentence]


def _fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """Return the number of the line after a block; a block left open runs to the end."""
    for number in range(start + 1, len(lines)):
        if code.closes(lines[number], fence):
            return number + 1
    return len(lines)


def _dedent(block: Sequence[str], fence: str) -> str:
    """Return a block without its own indentation (it stood in a list), in fences of ours.

    The fences are longer than any within, and closed: no renderer can see another end of it.
    """
    indent = len(block[0]) - len(block[0].lstrip(" "))
    info = block[0].strip().lstrip(fence[0]).strip()
    body = block[1:-1] if len(block) > 1 and code.closes(block[-1], fence) else block[1:]
    plain = [line[indent:] if not line[:indent].strip(" ") else line.lstrip(" ") for line in body]
    longest = max((len(run) for line in plain for run in re.findall(r"`{3,}", line)), default=2)
    own = "`" * (longest + 1)
    return "\n".join([own + info.replace("`", ""), *plain, own])
