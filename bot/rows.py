"""Rows of a table, read and said: `**ERR_9** · meaning: disk gone`. Pure.

A row says with each cell what its column is called, so that it can be read without its table, and
on a phone.
"""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from bot import code

__all__ = ["cells", "is_row", "named", "said"]


def is_row(line: str) -> bool:
    """Tell whether a line is a row of a table."""
    return line.lstrip().startswith("|")


def cells(row: str) -> list[str]:
    r"""Return a row's cells; `\|` and pipes in code divide nothing."""
    hidden = re.sub(r"\\\|", "xx", code.masked(row))
    borders = [-1, *(match.start() for match in re.finditer(r"\|", hidden)), len(row)]
    found = [row[start + 1 : end].strip().replace("\\|", "|") for start, end in pairwise(borders)]
    first = 1 if found and not found[0] else 0
    return found[first : -1 if len(found) > 1 and not found[-1] else None]


def named(row: Sequence[str], header: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return a row's cells, each behind the name of its column, which may have none."""
    names = [*header, *([""] * len(row))]
    return tuple(zip(names, row, strict=False))


def said(columns: Sequence[tuple[str, str]], asked: Collection[str] = ()) -> str:
    """Return what a row says: its first cell, then the others by their columns.

    The first stands out, and so do those of the columns that were `asked` for.
    """
    if not columns:
        return ""
    (_, key), *others = columns
    # What is marked already stays as it is.
    first = key if key.startswith(("*", "_", "`", "[")) or not key else f"**{key}**"
    rest = [_cell(name, cell, asked=name in asked) for name, cell in others if cell]
    return " · ".join([first, *rest] if first else rest)


def _cell(name: str, cell: str, *, asked: bool) -> str:
    text = f"{name}: {cell}" if name else cell
    return f"**{text}**" if asked and "*" not in text else text
