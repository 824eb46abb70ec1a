"""Markdown's structure: its headings. The text itself stays as it was written."""

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.documents import Heading

__all__ = ["find_headings"]

# Made once: to make a parser takes as long as to read a page.
_BLOCKS = MarkdownIt("commonmark").disable("inline")
_INLINE = MarkdownIt("commonmark")
_MARKUP = re.compile(r"[*`\[\]<>&\\!]|\b_|_\b")  # an underscore within a word is none
# Parsing what stands within a line takes the square of its length, and more.
_LONGEST_TITLE = 200
_ANCHOR = re.compile(r"\s*\{[#.][^{}]*\}$")


def find_headings(text: str) -> tuple[Heading, ...]:
    """The headings of a Markdown text, ATX and setext, in their order.

    A heading inside a fence, a list or a quotation is none: it doesn't divide the document.
    Titles are cut to 200 characters.
    """
    blocks = _BLOCKS.parse(text)
    starts = list(
        accumulate((len(line) for line in text.split("\n")), lambda at, n: at + n + 1, initial=0)
    )
    return tuple(
        Heading(int(opening.tag[1]), _words(content.content), starts[opening.map[0]])
        for opening, content in pairwise(blocks)
        if opening.type == "heading_open" and opening.level == 0 and opening.map
        if opening.markup.startswith("#") or _is_underlined_title(content.content)
    )


def _is_underlined_title(markup: str) -> bool:
    """A whole paragraph above a rule is no title, though Markdown calls it a heading."""
    return "\n" not in markup and len(markup) <= _LONGEST_TITLE


def _words(markup: str) -> str:
    """A heading's words without its markup; a link's text stays, an image's description too."""
    bare = _ANCHOR.sub("", markup[:_LONGEST_TITLE])
    if not _MARKUP.search(bare):  # most headings; parsing is a hundred times as slow
        return " ".join(bare.split())
    return " ".join("".join(_texts(_INLINE.parseInline(bare))).split())


def _texts(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"inline", "image"}:
            yield from _texts(token.children or [])
        elif token.type in {"text", "code_inline"}:
            yield token.content
        elif token.type in {"softbreak", "hardbreak"}:
            yield " "
