"""A message's words: the filters written in it, and what it means inside its thread. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.tokens import word_tokens

__all__ = ["Question", "in_thread", "is_complete", "parse", "stands_alone"]

_FILTER = re.compile(
    r"""(?<!\S)(?P<key>service|type|doc_type)[:=]
        (?:"(?P<quoted>[^"]{0,80})"|“(?P<curly>[^”]{0,80})”|(?P<bare>[^\s"“]{1,80}))""",
    re.IGNORECASE | re.VERBOSE,
)
_FOLLOWS = re.compile(
    r"^\s*(?:and|but|or|so|then|also|ok(?:ay)?|what about|how about|what if|same|else|instead)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|there|one|same|again|above|instead)\b",
    re.IGNORECASE,
)
# `on node 3`, `without downtime`: these go on from a question.
_PART = re.compile(
    r"^\s*(?:on|in|at|for|from|to|of|by|with|without|before|after|during|until|since|only)\b",
    re.IGNORECASE,
)
# `is it safe to`, `is there a`: these point to nothing.
_EXPLETIVE = re.compile(
    r"\b(?:is|was|isn't|would) it (?:\w+ ){1,2}(?:to|for|if|that)\b|\b(?:is|are|was|were) there\b",
    re.IGNORECASE,
)
# An alert's name or an error code says what a message is about, however short it is.
_NAMES = re.compile(r"\b(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|(?:[A-Z]+[a-z0-9]+){2,}|0x[0-9a-fA-F]+)\b")
# Telling words: up to so many, a message means nothing without its thread …
_FEW = 3
# … with so many it may mean something, as long as it doesn't point out of itself …
_COMPLETE = 2
# … up to so many, its "it" or "that" may point out of it …
_SOME = 4
# … and up to so many, an "and" or "what about" goes on from what was said.
_MORE = 6


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, without its filters. An empty tuple filters nothing."""

    text: str
    services: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()

    def narrowed(self, services: Iterable[str], doc_types: Iterable[str]) -> "Question":
        """Return the question with filters that were given beside its words."""
        return Question(
            self.text,
            _names((*self.services, *services)),
            _names((*self.doc_types, *doc_types)),
        )


def _names(given: Iterable[str]) -> tuple[str, ...]:
    """Return names as documents have them, in small letters, each once."""
    return tuple(dict.fromkeys(name for each in given if (name := each.strip().lower())))


def parse(text: str) -> Question:
    """Split `why is it slow service:payments type:runbook` into words and filters.

    A key may be repeated or hold several names separated by commas.
    """
    services: list[str] = []
    doc_types: list[str] = []
    for match in _FILTER.finditer(text):
        value = match["quoted"] or match["curly"] or match["bare"] or ""
        names = [name.strip().lower() for name in value.split(",")]
        target = services if match["key"].lower() == "service" else doc_types
        target.extend(name for name in names if name and name not in target)
    words = re.sub(r"[ \t]{2,}", " ", _FILTER.sub(" ", text)).strip()
    return Question(words, tuple(services), tuple(doc_types))


def in_thread(text: str, earlier: Sequence[str]) -> str:
    """Return the words to search for: `and in staging?` is joined with what the thread is about.

    Args:
        text: the message.
        earlier: what was asked in the thread so far, oldest first.
    """
    topic = next((each for each in reversed(earlier) if not _elliptical(each)), None)
    topic = topic or next(iter(earlier), None)
    return f"{topic}\n{text}" if topic and _elliptical(text) else text


def stands_alone(text: str) -> bool:
    """Tell whether a message says what it is about without its thread."""
    return not _elliptical(text)


def is_complete(text: str) -> bool:
    """Tell whether a short message may be a question of its own: `checkout is slow`."""
    pointing = (
        _FOLLOWS.search(text)
        or _PART.search(text)
        or _POINTS_BACK.search(_EXPLETIVE.sub(" ", text))
    )
    return not pointing and len(set(word_tokens(text))) >= _COMPLETE


def _elliptical(text: str) -> bool:
    if _NAMES.search(text):
        return False
    telling = len(set(word_tokens(text)))
    return (
        telling <= _FEW
        or (telling <= _SOME and _POINTS_BACK.search(text) is not None)
        or (telling <= _MORE and _FOLLOWS.search(text) is not None)
    )
