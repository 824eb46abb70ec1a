"""What a mistyped word was meant to be, by the words of what was found. Pure.

Who types on a phone at night leaves a letter out, puts one in or swaps two. A word that nothing
found has, and that one such slip makes of a word found, is read as that one. Three slips are let
stand: another letter in the place of one, or `lots` would be `logs`; one at the beginning, or
`flink` would be `link`; one at the end, or `router` would be `route`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from retrieval.tokens import STOP_WORDS

__all__ = ["misspelt", "respelled"]

_SHORTEST: Final = 4
_MOST: Final = 12  # words that nothing found has; with more it is a log, or another language
_WORD: Final = re.compile(rf"(?<![\w./:@=-])[^\W\d_]{{{_SHORTEST},}}(?![\w/:@=]|[.-]\w)")
_NAME: Final = re.compile(r"[a-z][A-Z]")


def misspelt(question: str, texts: Iterable[str]) -> dict[str, str]:
    """Return the mistyped words of a question, in small letters, each with what it is read as.

    Only plain words: one letter may be what tells a service, an option or an alert from another.
    """
    found = "\n".join(texts).casefold()
    plain = (word.casefold() for word in _WORD.findall(question) if not _NAME.search(word))
    unknown = [
        word for word in dict.fromkeys(plain) if word not in STOP_WORDS and word not in found
    ]
    if len(unknown) > _MOST:
        return {}
    read = {word: _meant(word, found) for word in unknown}
    return {word: meant for word, meant in read.items() if meant is not None}


def respelled(text: str, words: Mapping[str, str]) -> str:
    """Return a text with its mistyped words as they are read."""

    def read(match: re.Match[str]) -> str:
        word = match[0]
        return word if _NAME.search(word) else words.get(word.casefold(), word)

    return _WORD.sub(read, text)


def _meant(word: str, found: str) -> str | None:
    """Return the word found most often of those that a slip makes this one of."""
    shortest = max(_SHORTEST, len(word) - 1)
    # The letter before the look back lets the scanner leap to it.
    alike = re.compile(rf"{word[0]}(?<!\w{word[0]})[^\W\d_]{{{shortest - 1},{len(word)}}}\b")
    counted = Counter(other for other in alike.findall(found) if _slipped(word, other))
    return max(counted, key=lambda other: (counted[other], other), default=None)


def _slipped(word: str, other: str) -> bool:
    """Say whether a letter left out, put in or swapped with the next makes one of the other."""
    short, long = sorted((word, other), key=len)
    at = next((n for n, letter in enumerate(short) if letter != long[n]), len(short))
    if len(short) < len(long):
        return at < len(short) and short[at:] == long[at + 1 :]
    swapped = short[at : at + 2][::-1]
    return short[:at] + swapped + short[at + 2 :] == long and short != long
