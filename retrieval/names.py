"""Names and codes in a question: KubePodCrashLooping, ERR_5032, E42, nf_conntrack. Pure.

Whoever writes one means just that. A page that doesn't have it may be on its neighbour.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

__all__ = ["bare", "codes_in", "holds", "names_in", "unnamed"]

_WORD: Final = re.compile(r"[\w./:-]+")
_SHORTEST: Final = 3
_LONGEST: Final = 100
_MOST: Final = 32  # different ones: a pasted log has thousands, and the first tell what it is of
_NAME: Final = re.compile(
    r"""[a-z][A-Z] | [A-Z]{2,}[a-z]+[A-Z]   # KubePod, VMCannot
      | \w_\w                               # nf_conntrack, ERR_5032
      | ^[A-Z]+-?\d+$ | ^[A-Z]\w*\d\w*$     # E42, ORA-01555, V4Subnet""",
    re.VERBOSE,
)
_APART: Final = re.compile(r"[\W_]+")
_CODE: Final = re.compile(r"[A-Z][A-Z0-9_-]*\d|[A-Za-z]+[-_]\d{2,}")  # E42, WRB-31, err_5043
_PART: Final = re.compile(r"[^\W\d_]+|\d+")


def names_in(text: str) -> list[str]:
    """Return the names and codes of a text, as written, each once: the first of very many."""
    return list(islice((word for word in _words(text) if _NAME.search(word)), _MOST))


def codes_in(text: str) -> list[str]:
    """Return the codes of a text, each once: what ends in a number, and is no plain word."""
    return list(islice((word for word in _words(text) if _CODE.fullmatch(word)), _MOST))


def holds(text: str, name: str) -> bool:
    """Say whether a text has a name, however its parts are joined; a code only whole.

    VLT-7 is no part of VLT-77, and E42 none of NODE42.
    """
    if not _CODE.fullmatch(name):
        return bare(name) in bare(text)
    parts = r"[\W_]{0,2}".join(_PART.findall(name))
    whole = rf"(?<![^\W_]){parts}(?![^\W_])"
    return re.search(whole, text, re.IGNORECASE) is not None


def bare(text: str) -> str:
    """Return a text without what may stand between a name's parts, in small letters."""
    return _APART.sub("", text).casefold()


def unnamed(question: str, texts: Iterable[str]) -> float:
    """Return the share (0 to 1) of a question's names that none of the texts has."""
    names = {bare(name): name for name in names_in(question)}
    if not names:
        return 0.0
    found = list(texts)
    return sum(not any(holds(text, name) for text in found) for name in names.values()) / len(names)


def _words(text: str) -> dict[str, None]:
    """Return the words that may be names, each once, in their order."""
    words = (word.strip("./:-") for word in _WORD.findall(text))
    return dict.fromkeys(word for word in words if _SHORTEST <= len(word) <= _LONGEST)
