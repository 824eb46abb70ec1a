"""Where the blocks of an answer begin and end: headings, items, rows, code, paragraphs. Pure.

Their texts joined are the answer again, so that what is removed or added later changes nothing
else. A block ends with its line break; an item's continuation lines belong to it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bot import code

__all__ = ["Block", "Kind", "blocks", "thoughts_removed"]

type Kind = Literal["blank", "heading", "rule", "header", "row", "item", "text", "code"]

_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•‣◦–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_THINKS = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """A block: its mark (an item's bullet, else empty), its text, and how deep it is indented.

    `depth` is -1 outside lists; code has the depth of its fence's indentation.
    """

    kind: Kind
    text: str
    mark: str = ""
    depth: int = -1


def thoughts_removed(answer: str) -> str:
    """Return what comes after a model's thinking, without thoughts that never end."""
    closing = [each for each in _THINKS.finditer(answer) if each[0].startswith("</")]
    said = answer[closing[-1].end() :].lstrip("\n") if closing else answer
    opening = _THINKS.search(said)
    return said[: opening.start()] if opening else said


def blocks(answer: str) -> list[Block]:
    """Cut an answer into its blocks."""
    found: list[Block] = []
    for block in _paired(_lines(answer)):
        last = found[-1] if found else None
        if last and block.kind == "text" and last.kind in {"text", "item"}:
            found[-1] = Block(last.kind, last.text + block.text, last.mark, last.depth)
        else:
            found.append(block)
    return found


def _lines(answer: str) -> Iterator[Block]:
    """Yield a block for each line, and one for all lines of a code block."""
    fence = ""
    held: list[str] = []
    *whole, rest = code.lines(answer)
    for line, is_code in [*((f"{line}\n", is_code) for line, is_code in whole), rest]:
        mark = None if fence else code.FENCE.match(line.rstrip("\n"))
        if not is_code:
            if line:
                yield _line(line)
            continue
        held.append(line)
        if mark:
            fence = mark["fence"]
        elif code.closes(line, fence):
            yield _code(held)
            fence, held = "", []
    if held:
        yield _code(held)


def _code(lines: list[str]) -> Block:
    indent = len(lines[0]) - len(lines[0].lstrip())
    return Block("code", "".join(lines), depth=indent or -1)


def _line(line: str) -> Block:
    bare = line.strip()
    item = _ITEM.match(line)
    if not bare:
        return Block("blank", line)
    if _HEADING.match(line):
        return Block("heading", line)
    if code.is_rule(line):
        return Block("rule", line)
    if bare.startswith("|"):
        return Block("row", line)
    if item:
        return Block("item", line[item.end() :], item[0], len(item["indent"].expandtabs(4)))
    return Block("text", line)


def _paired(lines: Iterator[Block]) -> Iterator[Block]:
    """Tell what only its neighbour tells: a table's header and rows, a heading underlined."""
    held: Block | None = None
    in_table = False
    for line in lines:
        block = line
        if block.kind == "rule" and held and held.kind in {"row", "text"}:
            divides = "|" in block.text or (held.kind == "row" or "|" in held.text)
            underlines = not divides and set(block.text.strip()) <= {"="}
            kind = "header" if divides else "heading" if underlines else held.kind
            held = Block(kind, held.text)
            in_table = divides
            if divides:
                block = Block("header", line.text)
        elif in_table and block.kind == "text" and "|" in block.text:
            block = Block("row", line.text)
        else:
            in_table = in_table and block.kind == "row"
        if held:
            yield held
        held = block
    if held:
        yield held
