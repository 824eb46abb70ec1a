"""HTML to Markdown: the main content with its headings, lists, code and tables. Pure.

Code keeps every character: what `pre` holds becomes a fence, what `code` holds a code span.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import html as lxml_html
from lxml.etree import ParserError

from retrieval.errors import UnreadableDocument

__all__ = ["HtmlText", "fenced", "fragment_to_markdown", "one_row", "page_to_markdown"]

_DROPPED = frozenset({
    "script", "style", "noscript", "template", "head", "nav", "iframe", "object", "svg", "math",
    "canvas", "video", "audio", "button", "input", "select", "textarea", "map", "link", "meta",
})  # fmt: skip
_CHROME = frozenset({"header", "footer", "aside"})  # of a page; inside its content they are text
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "hr", "html", "legend", "li", "main", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_MAIN = (
    "//main", "//*[@role='main']", "//*[@id='main-content']", "//*[@id='mw-content-text']",
    "//article", "//*[@id='content']",
)  # fmt: skip
_LANGUAGE = re.compile(r"(?:language|lang|highlight|brush)[-:]\s*([\w+#-]+)")
_PILCROWS = frozenset({"¶", "#", "§", "🔗"})
_WEB = re.compile(r"https?://[^\s()<>]+")
# What would make of a paragraph a heading, a fence or a rule that it isn't.
_LOOKS_LIKE_BLOCK = re.compile(r"^(?=#{1,6}(?: |$)|`{3}|~{3}|=+ *$|-+ *$)", re.MULTILINE)
_SPACE = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class HtmlText:
    """A page as Markdown, and what its `title` says."""

    text: str
    title: str | None


def page_to_markdown(page: str, source: str) -> HtmlText:
    """Return the main content of a whole page; navigation, headers and footers are left out.

    Raises:
        UnreadableDocument: it is nested too deeply to be read.
    """
    root = _parsed(page)
    if root is None:
        return HtmlText("", None)
    title = next((_flat(each) for each in root.iter("title")), None)
    try:
        return HtmlText("\n\n".join(_Writer().blocks(_main(root))), title or None)
    except RecursionError as error:
        raise UnreadableDocument(
            f"{source} is nested too deeply to be read: save it as text or Markdown."
        ) from error


def fragment_to_markdown(fragment: str) -> str:
    """Return a piece of HTML from within a Markdown text; its line breaks stay."""
    root = _parsed(f"<div>{fragment}</div>")
    if root is None:
        return ""
    try:
        return "\n\n".join(_Writer(keep_lines=True).blocks(root))
    except RecursionError:
        return fragment


def fenced(code: str, language: str = "") -> str:
    """Return code in a fence longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def one_row(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _parsed(text: str) -> Any:
    # Bytes, since text with an XML declaration of its encoding is refused.
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return lxml_html.document_fromstring(text.encode(), parser=parser)
    except ParserError:  # nothing in it
        return None


def _main(root: Any) -> Any:
    for path in _MAIN:
        found = root.xpath(path)
        if len(found) == 1 and _flat(found[0]):
            return found[0]
    bodies = root.xpath("//body")
    body = bodies[0] if bodies else root
    for child in list(body.iterchildren(*_CHROME)):
        child.drop_tree()
    return body


def _flat(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _is_dropped(element: Any) -> bool:
    if not isinstance(element.tag, str) or element.tag in _DROPPED or "hidden" in element.attrib:
        return True
    return element.tag == "a" and _flat(element) in _PILCROWS


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes elements as Markdown blocks, which the caller joins with empty lines."""

    keep_lines: bool = False

    def blocks(self, element: Any) -> list[str]:
        """Return what an element holds; phrases between two blocks are a paragraph."""
        found: list[str] = []
        run = [self._text(element.text)]

        def flush() -> None:
            if paragraph := _LOOKS_LIKE_BLOCK.sub(r"\\", _joined(run)):
                found.append(paragraph)
            run.clear()

        for child in element:
            if not _is_dropped(child):
                if child.tag in _BLOCKS or any(each.tag in _BLOCKS for each in child.iter()):
                    flush()
                    found.extend(self._block(child))
                else:
                    run.extend(self._phrase(child))
            run.append(self._text(child.tail))
        flush()
        return found

    def _block(self, element: Any) -> list[str]:
        tag = element.tag
        found: list[str]
        if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            title = " ".join(_joined(self._phrases(element)).split())
            found = [f"{'#' * int(tag[1])} {title}"] if title else []
        elif tag == "pre":
            found = _code_block(element)
        elif tag in {"ul", "ol"}:
            found = self._list(element)
        elif tag == "li":
            found = [_indented("- ", self.blocks(element))]
        elif tag == "blockquote":
            quoted = "\n\n".join(self.blocks(element))
            found = ["\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))]
        elif tag == "table":
            found = self._table(element)
        else:
            found = self.blocks(element)
        return found

    def _list(self, element: Any) -> list[str]:
        items: list[str] = []
        number = 0
        for child in element:
            if _is_dropped(child):
                continue
            number += child.tag == "li"
            if child.tag != "li":
                items.extend(self._block(child))
                continue
            mark = f"{number}. " if element.tag == "ol" else "- "
            if blocks := self.blocks(child):
                items.append(_indented(mark, blocks))
        return ["\n".join(items)] if items else []

    def _table(self, table: Any) -> list[str]:
        """Return a pipe table, or for one without a header its rows; a layout table as blocks."""
        rows = [
            [cell for cell in row if cell.tag in {"td", "th"}]
            for row in table.iter("tr")
            if next(row.iterancestors("table")) is table
        ]
        rows = [row for row in rows if row]
        if _has_stray_text(table):
            return self.blocks(table)
        captions = [_flat(each) for each in table.iterchildren("caption")]
        before = [caption for caption in captions if caption]
        if not rows:
            return before + self.blocks(table)
        if max(map(len, rows)) == 1 or any(table.iter("pre")) or _nests(table):
            return before + [block for row in rows for cell in row for block in self.blocks(cell)]
        cells = [[self._cell(cell) for cell in row] for row in rows]
        with_header = any(cell.tag == "th" for cell in rows[0])
        # A pipe in code would need a backslash there, and code is never changed.
        if not with_header or any("|" in _flat(code) for code in table.iter(*_CODE)):
            lines = [" | ".join(cell for cell in row if cell) for row in cells]
            return [*before, "\n".join(f"- {line}" for line in lines if line)]
        width = max(map(len, cells))
        padded = [row + [""] * (width - len(row)) for row in cells]
        lines = [one_row(padded[0]), "|" + " --- |" * width, *map(one_row, padded[1:])]
        return [*before, "\n".join(lines)]

    def _cell(self, cell: Any) -> str:
        words: list[str] = []
        for block in self.blocks(cell):
            words.extend(line.strip() for line in block.split("\n"))
        return " ".join(word for word in words if word)

    def _phrases(self, element: Any) -> list[str]:
        found = [self._text(element.text)]
        for child in element:
            if not _is_dropped(child):
                found.extend(self._phrase(child))
            found.append(self._text(child.tail))
        return found

    def _phrase(self, element: Any) -> list[str]:
        if element.tag == "br":
            return ["\n"]
        if element.tag == "img":
            return [self._text(element.get("alt"))]
        if element.tag in _CODE or "literal" in (element.get("class") or "").split():
            return [_code_span("".join(element.itertext()))]
        words = self._phrases(element)
        if element.tag == "a" and _WEB.fullmatch(link := element.get("href") or ""):
            said = _joined(words)
            return [f"[{said}]({link})"] if said and said != link else [link]
        return words

    def _text(self, text: str | None) -> str:
        if not text:
            return ""
        if self.keep_lines:
            return _SPACE.sub(lambda match: "\n" if "\n" in match.group() else " ", text)
        return _SPACE.sub(" ", text)


def _has_stray_text(table: Any) -> bool:
    """Tell whether words stand between the cells, where HTML allows none but people leave some."""
    parts = [table, *(each for each in table.iter("thead", "tbody", "tfoot", "tr"))]
    beside = [child.tail for part in parts for child in part]
    return any(text and text.strip() for text in [*(part.text for part in parts), *beside])


def _nests(table: Any) -> bool:
    return any(inner is not table for inner in table.iter("table"))


def _joined(pieces: Sequence[str]) -> str:
    """Join phrases with one space where two meet, and none at the ends of lines."""
    text = ""
    for piece in pieces:
        text += piece.lstrip(" ") if text.endswith((" ", "\n")) or not text else piece
    return re.sub(r" *\n *", "\n", text).strip()


def _code_block(element: Any) -> list[str]:
    classes = " ".join(_classes(element))
    language = _LANGUAGE.search(classes)
    for line_break in list(element.iter("br")):
        line_break.tail = "\n" + (line_break.tail or "")
    code = "".join(element.itertext()).removeprefix("\n").rstrip()
    return [fenced(code, language.group(1) if language else "")] if code.strip() else []


def _classes(element: Any) -> Iterator[str]:
    yield from (each.get("class") or "" for each in element.iter("pre", "code"))
    yield from (each.get("class") or "" for each in list(element.iterancestors("div"))[:2])


def _code_span(code: str) -> str:
    bare = " ".join(code.split("\n")).strip()
    if not bare:
        return " "
    longest = max((len(run) for run in re.findall(r"`+", bare)), default=0)
    fence = "`" * (longest + 1)
    space = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{fence}{space}{bare}{space}{fence}"


def _indented(mark: str, blocks: Sequence[str]) -> str:
    """Return an item: its mark, and all its lines but the first moved under its text."""
    if not blocks:
        return mark.rstrip()
    text = blocks[0]
    for block in blocks[1:]:
        tight = re.match(r"(?:- |\d+\. )", block)
        text += ("\n" if tight else "\n\n") + block
    return mark + "\n".join(
        f"{' ' * len(mark)}{line}" if number and line else line
        for number, line in enumerate(text.split("\n"))
    )
