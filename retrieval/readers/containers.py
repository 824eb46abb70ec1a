"""MkDocs' indented containers, admonitions and tabs, to plain Markdown. Pure.

Their content is indented by four, which everywhere else means code.
"""

import re
from dataclasses import dataclass

__all__ = ["FENCE", "closes_fence", "said", "unpacked"]

FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
# Bare words behind the kind are a sentence ("!!! do not restart it"), not a box.
_ADMONITION = re.compile(
    r"^(?P<indent> *)(?:!!!|\?\?\?\+?) *(?P<kind>[\w-]+)?"
    r"(?:[\w -]*?\"(?P<title>.*)\"|(?: +(?:inline|end))*) *$"
)
_TAB = re.compile(r"^(?P<indent> *)===[!+]? +\"(?P<title>.+)\" *$")
_STEP = 4
_LONGEST_OPENING = 500


@dataclass(slots=True)
class _Container:
    """An open container: the indentation its content has, and what of that is taken away."""

    content: int
    removed: int
    fence: str | None = None


def closes_fence(line: str, fence: str) -> bool:
    """Tell whether a line closes the block that a fence has opened."""
    mark = line.strip(" \t>")
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def unpacked(text: str) -> str:
    """Return the text with the title of each container as a line and its content moved out."""
    if not any(mark in text for mark in ("!!!", "???", "===")):
        return text
    outside = _Container(0, 0)
    open_: list[_Container] = [outside]
    lines: list[str] = []
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        while line.strip() and indent < open_[-1].content:
            open_.pop()
        here = open_[-1]
        bare = line[min(here.removed, indent) :]
        if here.fence is not None:
            if closes_fence(bare, here.fence):
                here.fence = None
        elif mark := FENCE.match(bare):
            here.fence = mark["fence"]
        elif len(line) < _LONGEST_OPENING and (
            opening := _ADMONITION.match(line) or _TAB.match(line)
        ):
            lines.extend((f"{bare[: max(indent - here.removed, 0)]}{said(_title(opening))}", ""))
            open_.append(_Container(indent + _STEP, here.removed + _STEP))
            continue
        lines.append(bare)
    return "\n".join(lines)


def said(title: str) -> str:
    """Return the title of a box as a line of its own."""
    bare = title.replace("*", "").strip(" :")
    return f"**{bare}**" if bare.endswith((".", "?", "!")) else f"**{bare}:**"


def _title(opening: re.Match[str]) -> str:
    groups = opening.groupdict()
    kind = (groups.get("kind") or "note").replace("-", " ").capitalize()
    return (groups["title"] or "").strip(" :*") or kind
