"""Where Markdown is code: fenced blocks and code spans, which must stay as they were written. Pure.

Commands are byte-exact: whatever changes prose (escaping, markers, cutting into sentences) goes
through here and leaves code alone. The rules are CommonMark's (spec 0.31, 4.5 and 6.1).
"""

import re
from collections.abc import Callable, Iterator

__all__ = ["FENCE", "closes", "is_rule", "lines", "masked", "outside_spans", "spans"]

FENCE = re.compile(r"^ {0,12}(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_SHORTEST = 3  # characters of a thematic break
_RUN = re.compile(r"`+")


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to a fenced block (its fences included).

    A block that is never closed runs to the end of the text.
    """
    fence: str | None = None
    for line in text.split("\n"):
        if fence is not None:
            yield line, True
            if closes(line, fence):
                fence = None
        elif mark := FENCE.match(line):
            fence = mark["fence"]
            yield line, True
        else:
            yield line, False


def closes(line: str, fence: str) -> bool:
    """Tell whether a line closes the block that a fence has opened."""
    mark = line.strip()
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def is_rule(line: str) -> bool:
    """Tell whether a line only draws: a thematic break, or what divides a table's header."""
    bare = "".join(line.split())
    marks = set(bare)
    if len(marks) == 1 and marks <= set("-=*_") and len(bare) >= _SHORTEST:
        return True
    return marks <= set("|:-") and "-" in marks


def spans(text: str) -> list[tuple[int, int]]:
    """Return where the code spans of a paragraph begin and end, their backticks included.

    A run of backticks opens a span when a run of the same length follows; a backslash takes the
    first backtick away from a run that would open. The time is linear in the text, for any
    number of backticks.
    """
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    waiting: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        waiting.setdefault(end - start, []).append(index)
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        start, end = runs[index]
        start += _escaped(text, start)
        same = waiting.get(end - start, [])
        while same and same[-1] <= index:
            same.pop()
        if same:
            closing = same[-1]
            found.append((start, runs[closing][1]))
            index = closing + 1
        else:
            index += 1
    return found


def _escaped(text: str, at: int) -> bool:
    """Tell whether an odd number of backslashes stands before a place."""
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def outside_spans(text: str, change: Callable[[str], str]) -> str:
    """Change the prose of a paragraph and leave its code spans as they are."""
    pieces: list[str] = []
    done = 0
    for start, end in spans(text):
        pieces += [change(text[done:start]), text[start:end]]
        done = end
    return "".join([*pieces, change(text[done:])])


def masked(text: str) -> str:
    """Return a text of the same length with neutral characters in place of code spans."""
    pieces: list[str] = []
    done = 0
    for start, end in spans(text):
        pieces += [text[done:start], "x" * (end - start)]
        done = end
    return "".join([*pieces, text[done:]])
