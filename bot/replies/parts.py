"""Long replies in parts that Slack takes: by the size of all texts, never through a table or code.

Slack takes 50 blocks and some 13,200 characters a message, 12,000 of them Markdown. Pure.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from bot import code
from bot.replies.blocks import Block, Reply

__all__ = ["messages", "split_markdown"]

_ALL_TEXT = 11_000  # characters of one message
_BLOCKS = 45
_LINE = 2_500  # a line of code that is longer is cut


def messages(reply: Reply) -> list[Reply]:
    """Return a reply as the messages that it takes to show it, one after the other."""
    pages: list[list[Block]] = [[]]
    size = 0
    for block in reply.blocks:
        length = _length(block)
        if pages[-1] and (size + length > _ALL_TEXT or len(pages[-1]) == _BLOCKS):
            pages.append([])
            size = 0
        pages[-1].append(block)
        size += length
    first, *rest = pages
    count = len(pages)
    further = [Reply(f"(part {at} of {count})", page) for at, page in enumerate(rest, start=2)]
    return [Reply(reply.text, first), *further]


def split_markdown(text: str, most: int) -> list[str]:
    """Cut escaped Markdown where its parts end: between paragraphs, lists, tables and code.

    Code that is too long by itself is closed and opened again; a table's header is repeated.
    """
    parts: list[str] = []
    current = ""
    for unit in _units(text):
        for piece in _pieces(unit, most):
            joined = f"{current}\n{piece}" if current else piece
            if current and len(joined) > most:
                parts.append(current)
                joined = piece
            current = joined
    return [part.strip("\n") for part in [*parts, current] if part.strip("\n")]


def _units(text: str) -> Iterator[list[str]]:
    """Give the lines of code blocks and tables together, and each other line by itself."""
    unit: list[str] = []
    kind = ""
    fence = ""
    for line, is_code in code.lines(text):
        now = "code" if is_code else "table" if line.lstrip().startswith("|") else ""
        if unit and (now != kind or not now):
            yield unit
            unit = []
        if now == "code" and not unit:
            mark = code.FENCE.match(line)
            fence = mark["fence"] if mark else ""
        unit.append(line)
        kind = now
        if now == "code" and len(unit) > 1 and code.closes(line, fence):
            yield unit
            unit, kind = [], ""
    if unit:
        yield unit


def _pieces(unit: list[str], most: int) -> Iterator[str]:
    whole = "\n".join(unit)
    if len(whole) <= most:
        yield whole
        return
    head: list[str] = []
    foot: list[str] = []
    body = unit
    if mark := code.FENCE.match(unit[0]):
        indent = unit[0][: len(unit[0]) - len(unit[0].lstrip())]
        closed = len(unit) > 1 and code.closes(unit[-1], mark["fence"])
        head, foot = [unit[0]], [indent + mark["fence"]]
        body = unit[1:-1] if closed else unit[1:]
    elif len(unit) > 1 and code.is_rule(unit[1]):
        head, body = unit[:2], unit[2:]
    room = most - sum(len(each) + 1 for each in [*head, *foot])
    lines: list[str] = []
    for line in [short for each in body for short in _short(each, min(room, _LINE))]:
        if lines and sum(len(each) + 1 for each in lines) + len(line) > room:
            yield "\n".join([*head, *lines, *foot])
            lines = []
        lines.append(line)
    yield "\n".join([*head, *lines, *foot])


def _short(line: str, most: int) -> list[str]:
    return [line[at : at + most] for at in range(0, len(line), most)] or [""]


def _length(node: object) -> int:
    """Return the characters of all texts below a node, as Slack adds them up."""
    if isinstance(node, list):
        return sum(_length(each) for each in cast("Sequence[object]", node))
    if not isinstance(node, dict):
        return 0
    return sum(
        len(value) if key == "text" and isinstance(value, str) else _length(value)
        for key, value in cast("dict[str, Any]", node).items()
    )
