"""Does a passage hold what was asked word for word, as an error text that was pasted? Pure.

Such a passage may be far from the question by its vector: a line among many others. Of the
questions in the calibration half that no page answers, none shares more than 44 % of its words,
four or more in a row, with what was found; most pasted errors with an answer share 60 % or more.
"""

import re
from math import ceil
from typing import Final

__all__ = ["quotes"]

_WORD: Final = re.compile(r"\w+")
_FEWEST: Final = 4
_SHARE: Final = 0.6


def quotes(question: str, passage: str) -> bool:
    """Say whether four words or more in a row, most of the question, stand in the passage."""
    asked = _WORD.findall(question.casefold())
    wanted = max(_FEWEST, ceil(_SHARE * len(asked)))
    if len(asked) < wanted:
        return False
    text = f" {' '.join(_WORD.findall(passage.casefold()))} "
    return any(
        f" {' '.join(asked[start : start + wanted])} " in text
        for start in range(len(asked) - wanted + 1)
    )
