"""Names and codes in a question: KubePodCrashLooping, ERR_5032, E42, nf_conntrack. Pure.

Whoever writes one means just that. A page that doesn't have it may be on its neighbour.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["bare", "names_in", "unnamed"]

_WORD: Final = re.compile(r"[\w./:-]+")
_SHORTEST: Final = 3
_NAME: Final = re.compile(
    r"""[a-z][A-Z] | [A-Z]{2,}[a-z]+[A-Z]   # KubePod, VMCannot
      | \w_\w                               # nf_conntrack, ERR_5032
      | ^[A-Z]+-?\d+$ | ^[A-Z]\w*\d\w*$     # E42, ORA-01555, V4Subnet""",
    re.VERBOSE,
)
_APART: Final = re.compile(r"[\W_]+")


def names_in(text: str) -> list[str]:
    """Return the names and codes of a text, as written."""
    words = (word.strip("./:-") for word in _WORD.findall(text))
    return [word for word in words if len(word) >= _SHORTEST and _NAME.search(word)]


def bare(text: str) -> str:
    """Return a text without what may stand between a name's parts, in small letters."""
    return _APART.sub("", text).casefold()


def unnamed(question: str, texts: Iterable[str]) -> float:
    """Return the share (0 to 1) of a question's names that none of the texts has."""
    names = {bare(name) for name in names_in(question)}
    if not names:
        return 0.0
    found: Sequence[str] = [bare(text) for text in texts]
    return sum(not any(name in text for text in found) for name in names) / len(names)
