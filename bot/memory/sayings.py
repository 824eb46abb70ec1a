"""What a message asks of the memory itself: `remember that …`, `forget that …`. Pure."""

import re
from dataclasses import dataclass
from typing import Literal

from bot.memory.rules import tidy

__all__ = ["Saying", "saying", "veiled"]

_POLITE = r"^\W*(?:(?:hey|hi|ok|okay|and|also|please|pls|footnote|can you|could you|would you)\W+)*"
_REMEMBER = re.compile(
    _POLITE + r"(?:remember|keep in mind)(?:\s+that\b|\s*:|\s+(?=i(?:'m|’m|\s)|we(?:'re|’re|\s)"
    r"|my\s|our\s))\W*(?P<words>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_FORGET = re.compile(
    _POLITE + r"forget(?:\s+that\b|\s+what i (?:said|told you) about\b|\s*:|\s+(?=i(?:'m|’m|\s)"
    r"|we(?:'re|’re|\s)|my\s|our\s))\W*(?P<words>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_FEWEST = 2  # words: "forget that one" means no memory


@dataclass(frozen=True, slots=True)
class Saying:
    """What is to be done, and with which words."""

    verb: Literal["remember", "forget"]
    words: str


def saying(text: str) -> Saying | None:
    """Return what a message asks of the memory; None when it asks something else.

    A question is none, whatever it begins with.
    """
    if "?" in text:
        return None
    if match := _REMEMBER.match(text):
        return Saying("remember", words) if (words := tidy(match["words"])) else None
    if match := _FORGET.match(text):
        words = tidy(match["words"])
        return Saying("forget", words) if len(words.split()) >= _FEWEST else None
    return None


def veiled(said: Saying) -> str:
    """Return what the log and a trace keep of a message: that something was said, not what."""
    return f"{said.verb} that …"
