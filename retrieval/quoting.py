"""Does a passage hold what was asked word for word: an error text that was pasted, a code? Pure.

Such a passage may be far from the question by its vector: a line among many others. Of the
questions in the calibration half that no page answers, none shares more than 44 % of its words,
four or more in a row, with what was found; most pasted errors with an answer share 60 % or more.
Four of the words have to tell something, which `utilization is too high` and `what's the difference
between` don't.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from retrieval.names import codes_in, holds
from retrieval.tokens import STOP_WORDS

__all__ = ["has_codes", "quotes"]

_WORD: Final = re.compile(r"\w+")
_FEWEST: Final = 4
_SHARE: Final = 0.6
# What may stand beside a code in a question that is about the code and nothing else.
_ASKING: Final = frozenset(
    _WORD.findall("""
    a about actually after again alert an and any are can code do does error exit explain fail
    failed fails failing failure fix for from get gets getting got handle have help here how i in is
    it keep keeps make mean meaning means meant message no of on oops or our please rather s say
    saying says see seeing should show shows sorry status tell that the there this to us wait we
    what when why with you
    """)
)


def quotes(question: str, passage: str) -> bool:
    """Say whether a passage has the question: most of its words in a row, or its codes.

    The words are four or more, stop words aside. Codes count alone (`what does E42 mean?`), all of
    them, each whole.
    """
    if _is_code(question):
        return has_codes(question, passage)
    asked = _WORD.findall(question.casefold())
    wanted = max(_FEWEST, ceil(_SHARE * len(asked)))
    if len(asked) < wanted:
        return False
    words = _WORD.findall(passage.casefold())
    if len(words) < wanted:
        return False
    text = f" {' '.join(words)} "
    return any(f" {' '.join(run)} " in text for run in _runs(asked, wanted))


def has_codes(question: str, passage: str) -> bool:
    """Say whether a passage has all codes of a question, which has some."""
    codes = codes_in(question)
    return bool(codes) and all(holds(passage, code) for code in codes)


def _runs(asked: Sequence[str], wanted: int) -> Iterator[Sequence[str]]:
    """Yield the shortest run from each word on that is long enough, and tells enough."""
    tells = [at for at, word in enumerate(asked) if word not in STOP_WORDS]
    for start in range(len(asked) - wanted + 1):
        enough = tells[(at := bisect_left(tells, start)) : at + _FEWEST]
        if len(enough) < _FEWEST:
            return
        yield asked[start : max(start + wanted, enough[-1] + 1)]


def _is_code(question: str) -> bool:
    """Say whether a question asks what a code is, or some, and for nothing else."""
    codes = codes_in(question)
    for code in codes:
        question = question.replace(code, " ")
    return bool(codes) and _ASKING.issuperset(_WORD.findall(question.casefold()))
