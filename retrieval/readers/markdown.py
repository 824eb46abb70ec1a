"""Markdown's structure: front matter and headings. The text itself stays as it was written."""

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.documents import Heading
from retrieval.readers.labels import Said, one_line, web_link

__all__ = ["find_headings", "split_front_matter"]

_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_MOST_FRONT_MATTER = 65_536
_MARKUP = re.compile(r"[*_`\[\]<>&\\!]")
_ANCHOR = re.compile(r"\s*\{[#.][^{}]*\}$")
_KEYS = {"type": "doc_type", "doctype": "doc_type", "url": "link"}


def split_front_matter(text: str) -> tuple[Said, str]:
    """The labels of the YAML block at the top, and the text after it.

    What is no mapping in valid YAML is no front matter (`---` is also a rule) and stays text.
    """
    match = _FRONT_MATTER.match(text[:_MOST_FRONT_MATTER])
    if match is None:
        return Said(), text
    try:
        parsed: object = yaml.safe_load(match.group(1))
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date like 2024-13-45
        return Said(), text
    if parsed is None:
        return Said(), text[match.end() :]
    if not isinstance(parsed, dict):
        return Said(), text
    said: dict[str, object] = {}
    for key, value in parsed.items():
        name = str(key).lower().replace("-", "_")
        said.setdefault(_KEYS.get(name, name), value)
    return Said(
        title=one_line(said.get("title")),
        service=one_line(said.get("service")),
        doc_type=one_line(said.get("doc_type")),
        link=web_link(said.get("link")),
    ), text[match.end() :]


def find_headings(text: str) -> tuple[Heading, ...]:
    """The headings of a Markdown text, ATX and setext, in their order.

    A heading inside a fence, a list or a quotation is none: it doesn't divide the document.
    """
    parser = MarkdownIt("commonmark")
    blocks = parser.disable("inline").parse(text)
    starts = list(
        accumulate((len(line) for line in text.split("\n")), lambda at, n: at + n + 1, initial=0)
    )
    inline = MarkdownIt("commonmark")
    return tuple(
        Heading(int(opening.tag[1]), _words(inline, content.content), starts[opening.map[0]])
        for opening, content in pairwise(blocks)
        if opening.type == "heading_open" and opening.level == 0 and opening.map
    )


def _words(parser: MarkdownIt, markup: str) -> str:
    """A heading's words without its markup; a link's text stays, an image's description too."""
    bare = _ANCHOR.sub("", markup)
    if not _MARKUP.search(bare):  # most headings; parsing is a hundred times as slow
        return " ".join(bare.split())
    return " ".join("".join(_texts(parser.parseInline(bare))).split())


def _texts(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"inline", "image"}:
            yield from _texts(token.children or [])
        elif token.type in {"text", "code_inline"}:
            yield token.content
        elif token.type in {"softbreak", "hardbreak"}:
            yield " "
