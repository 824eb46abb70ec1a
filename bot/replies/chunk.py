"""A cited chunk in full, in a modal: its text exactly, code to be copied as it is. Pure."""

from collections.abc import Iterator
from typing import Any

from bot import code
from bot.replies.blocks import Block, plain_text, section
from bot.replies.sources import line
from retrieval.documents import Passage

__all__ = ["chunk_view"]

_PIECE = 2_900  # characters of one element
_MOST = 60  # of them


def chunk_view(marker: int, passage: Passage) -> dict[str, Any]:
    """Return the modal. Rich text has no markup: nothing in a chunk can call or format anything."""
    pieces = [_element(text, is_code=is_code) for text, is_code in _runs(passage.text)]
    rich: list[Block] = [{"type": "rich_text", "elements": pieces[:_MOST]}] if pieces else []
    return {
        "type": "modal",
        "title": plain_text(f"Footnote {marker}"),
        "close": plain_text("Close"),
        "blocks": [section(line(passage)), *rich],
    }


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Give prose and code blocks in turn, fences left out."""
    lines: list[str] = []
    was_code = False
    for each, is_code in code.lines(text):
        fence = is_code and code.FENCE.match(each)
        if is_code != was_code or (fence and lines):
            yield from _cut(lines, is_code=was_code)
            lines = []
        was_code = is_code
        if not fence:
            lines.append(each)
    yield from _cut(lines, is_code=was_code)


def _cut(lines: list[str], *, is_code: bool) -> Iterator[tuple[str, bool]]:
    text = "\n".join(lines).strip("\n")
    for at in range(0, len(text), _PIECE):
        yield text[at : at + _PIECE], is_code


def _element(text: str, *, is_code: bool) -> Block:
    kind = "rich_text_preformatted" if is_code else "rich_text_section"
    return {"type": kind, "elements": [{"type": "text", "text": text}]}
