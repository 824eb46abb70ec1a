"""AsciiDoc to Markdown: headings, listings, tables, admonitions and links. Pure.

No well-kept library reads AsciiDoc in Python; this covers what runbooks use, and what it doesn't
know stays as text. Nothing is included or fetched.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from retrieval.readers.html import fenced, one_row

__all__ = ["asciidoc_to_markdown"]

_HEADING = re.compile(r"^(?P<marks>={1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+=+)?[ \t]*$")
_ATTRIBUTE = re.compile(r"^:(?P<name>!?[\w-]+!?):(?:[ \t]+(?P<value>.*))?$")
_REFERENCE = re.compile(r"(?<![\\$])\{([a-z0-9][\w-]*)\}", re.IGNORECASE)
_BLOCK_STYLE = re.compile(r"^\[(?P<inside>[^\[\]]*)\]$")
_ANCHOR = re.compile(r"^\[\[[^\[\]]*\]\]$|^\[#[^\[\]]*\]$")
_TITLE = re.compile(r"^\.(?P<title>[^\s.].*)$")
_ITEM = re.compile(r"^[ \t]*(?P<marks>\*{1,5}|-|\.{1,5})[ \t]+(?P<text>\S.*)$")
_DELIMITER = re.compile(r"^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```.*)$")
_TABLE = re.compile(r"^[|,:!]={3,}$")
_CELL = re.compile(r"(?<!\\)(?:(?:\d+\*)?(?:\d*\.?\d*\+)?[<^>]?[a-z]?)?\|")
_ADMONITIONS = frozenset({"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"})
_LINK = re.compile(r"(?:link:)?(?P<url>https?://[^\s\[\]<>]+)\[(?P<text>[^\]]*)\]")
_LOCAL = re.compile(r"(?:link|xref|mailto):(?P<target>[^\s\[\]]+)\[(?P<text>[^\]]*)\]")
_CROSS = re.compile(r"<<(?P<target>[^<>,\n]+)(?:,\s*(?P<text>[^<>\n]+))?>>")
_IMAGE = re.compile(r"image::?(?P<target>[^\s\[\]]+)\[(?P<text>[^\],]*)[^\]]*\]")
_MACRO = re.compile(r"(?:kbd|btn|menu):(?:[\w ]*)\[(?P<text>[^\]]*)\]")
_SPAN = re.compile(r"`\+?([^`\n]+?)\+?`")
_INSERTED = re.compile(r"^(?:include|ifdef|ifndef|ifeval|endif)::")


def asciidoc_to_markdown(text: str) -> str:
    """Return an AsciiDoc text as Markdown. Attributes set in it are put in where they are used."""
    return "\n".join(_Converter(text.split("\n")).run()).strip("\n") + "\n"


@dataclass(slots=True)
class _Converter:
    """Walks the lines once; `style` is what a line in brackets says of the next block."""

    lines: list[str]
    at: int = 0
    style: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)

    def run(self) -> Iterator[str]:
        while self.at < len(self.lines):
            line = self.lines[self.at].rstrip()
            self.at += 1
            yield from self._line(line)

    def _line(self, line: str) -> Iterator[str]:
        if _TABLE.match(line):
            yield from self._table(line)
        elif _DELIMITER.match(line):
            yield from self._delimited(line)
        elif heading := _HEADING.match(line):
            self.style = []
            yield f"{'#' * len(heading['marks'])} {self._inline(heading['title'])}"
        elif attribute := _ATTRIBUTE.match(line):
            self.attributes[attribute["name"].lower()] = attribute["value"] or ""
        elif _ANCHOR.match(line) or _INSERTED.match(line) or line.startswith("//"):
            return
        elif style := _BLOCK_STYLE.match(line):
            self.style = [part.strip() for part in style["inside"].split(",")]
        elif title := _TITLE.match(line):
            yield from (f"**{self._inline(title['title'])}**", "")
        elif item := _ITEM.match(line):
            depth = len(item["marks"]) - 1
            mark = "1." if item["marks"].startswith(".") else "-"
            yield f"{'   ' * depth}{mark} {self._inline(item['text'])}"
        elif line in {"+", "'''", "<<<"}:
            yield ""
        else:
            yield from self._paragraph(line)

    def _paragraph(self, line: str) -> Iterator[str]:
        kind = self.style[0] if self.style else ""
        if kind.upper() in _ADMONITIONS and line:
            yield from (f"**{kind.capitalize()}:**", "")
        elif line and kind in {"source", "listing", "literal"}:
            self.at -= 1
            yield from self._code(iter(self._until_empty()))
            return
        self.style = [] if line else self.style
        yield self._inline(line)

    def _until_empty(self) -> Iterator[str]:
        while self.at < len(self.lines) and self.lines[self.at].strip():
            yield self.lines[self.at]
            self.at += 1

    def _until(self, delimiter: str) -> list[str]:
        inner: list[str] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if line.rstrip() == delimiter:
                break
            inner.append(line)
        return inner

    def _delimited(self, delimiter: str) -> Iterator[str]:
        if delimiter.startswith("```"):
            self.style = ["source", delimiter.strip("`").strip()]
            yield from self._code(self._until("```"))
            return
        if delimiter.startswith("////"):
            self._until(delimiter)
            return
        kind = self.style[0] if self.style else ""
        if delimiter.startswith(("----", "....", "++++")) or kind in {"source", "listing"}:
            yield from self._code(self._until(delimiter))
            return
        if kind.upper() in _ADMONITIONS:
            yield from (f"**{kind.capitalize()}:**", "")
        self.style = []
        inner = _Converter(self._until(delimiter), attributes=self.attributes)
        try:
            yield from inner.run()
        except RecursionError:
            yield from inner.lines

    def _code(self, lines: "Iterator[str] | list[str]") -> Iterator[str]:
        """Yield a fence; code is never changed, but for the callouts `<1>` that explain it."""
        is_source = self.style[:1] == ["source"]
        language = self.style[1] if is_source and len(self.style) > 1 else ""
        self.style = []
        code = "\n".join(re.sub(r"[ \t]+<\d+>[ \t]*$", "", line) for line in lines)
        yield from fenced(code, re.sub(r"[^\w+#-]", "", language)).split("\n")

    def _table(self, delimiter: str) -> Iterator[str]:
        options = ",".join(self.style)
        self.style = []
        lines = self._until(delimiter)
        rows = [[self._inline(cell) for cell in row] for row in _rows(lines, options)]
        if not rows:
            return
        width = max(map(len, rows))
        padded = [row + [""] * (width - len(row)) for row in rows]
        yield from ("", one_row(padded[0]), "|" + " --- |" * width)
        yield from (one_row(row) for row in padded[1:])
        yield ""

    def _inline(self, text: str) -> str:
        """Rewrite links and references outside of code spans."""
        parts = _SPAN.split(text)
        return "".join(
            f"`{part}`" if number % 2 else self._words(part) for number, part in enumerate(parts)
        )

    def _words(self, text: str) -> str:
        text = _REFERENCE.sub(self._reference, text)
        text = _LINK.sub(
            lambda m: f"[{m['text'] or m['url']}]({m['url']})".replace("^]", "]"), text
        )
        text = _LOCAL.sub(lambda m: m["text"] or m["target"], text)
        text = _CROSS.sub(lambda m: m["text"] or m["target"].lstrip("#"), text)
        text = _IMAGE.sub(lambda m: m["text"], text)
        text = _MACRO.sub(lambda m: m["text"], text)
        return re.sub(r"[ \t]\+$", "", text)

    def _reference(self, match: re.Match[str]) -> str:
        return self.attributes.get(match.group(1).lower(), match.group())


def _rows(lines: list[str], options: str) -> Iterator[list[str]]:
    """Yield the rows of a table: one a line, or so many cells as its first line or `cols` says."""
    groups = [[cell.strip() for cell in _CELL.split(line)[1:]] for line in lines if "|" in line]
    columns = re.search(r"cols=\"?([^\"\]]+)", options)
    cells: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        first, *more = _CELL.split(line)
        if first.strip() and cells:
            cells[-1] = f"{cells[-1]} {first.strip()}".strip()
        cells.extend(cell.strip().replace("\\|", "|") for cell in more)
    width = _width(columns.group(1)) if columns else max(map(len, groups), default=0)
    if not width:
        return
    yield from (cells[at : at + width] for at in range(0, len(cells), width))


def _width(columns: str) -> int:
    total = 0
    for part in filter(str.strip, columns.split(",")):
        repeated = re.match(r"\s*(\d+)\*", part)
        total += int(repeated.group(1)) if repeated else 1
    return min(total, 100)
