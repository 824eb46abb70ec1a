"""A cited chunk in full, in a modal: as its document shows it, code to be copied as it is. Pure."""

import re
from pathlib import PurePosixPath
from typing import Any

from bot.replies.blocks import Block, plain_text, section
from bot.replies.rich import preformatted, rich_text
from bot.replies.sources import line
from retrieval.documents import Passage

__all__ = ["chunk_view"]

_CELL = re.compile(r"(?<!\\)\|")
_MOST = 60  # elements
_PLAIN = frozenset({".txt", ".text", ".log", ".yaml", ".yml", ".json"})


def chunk_view(marker: int, passage: Passage) -> dict[str, Any]:
    """Return the modal. Rich text has no markup: nothing in a chunk can call anybody."""
    pieces = _pieces(passage)[:_MOST]
    rich: list[Block] = [{"type": "rich_text", "elements": pieces}] if pieces else []
    return {
        "type": "modal",
        "title": plain_text(f"Footnote {marker}"),
        "close": plain_text("Close"),
        "blocks": [section(line(passage)), *rich],
    }


def _pieces(passage: Passage) -> list[Block]:
    if PurePosixPath(passage.source).suffix.lower() in _PLAIN:
        return preformatted(passage.text)
    return rich_text("\n".join([*_header(passage.context), passage.text]))


def _header(context: str) -> list[str]:
    """Return the header of a table that a chunk goes on with: its rows alone would be none."""
    names = next((each for each in context.split("\n") if each.startswith("|")), "")
    return [names, "|" + "---|" * len(_CELL.findall(names.rstrip("| ")))] if names else []
