"""Text that others wrote, wrapped as data so that it can't pass for instructions. Pure."""

import re

__all__ = ["block", "one_line"]

_OPEN, _CLOSE = "<<<", ">>>"
_LONGEST_NAME = 120


def block(kind: str, text: str, **labels: str) -> str:
    """Return a text between markers that it can't close, with labels in the opening one."""
    named = "".join(f' {key}="{one_line(value)}"' for key, value in labels.items() if value)
    inside = re.sub(r"<(?=<<)|>(?=>>)", lambda match: f"{match[0]} ", text)
    return f"{_OPEN}{kind}{named}{_CLOSE}\n{inside}\n{_OPEN}end {kind}{_CLOSE}"


def one_line(name: str) -> str:
    """Return a name without line breaks, quotes and markers, cut to a sane length."""
    return " ".join(re.sub(r'[<>"\x00-\x1f\x7f]', " ", name).split())[:_LONGEST_NAME]
