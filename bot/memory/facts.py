"""What a model says is worth remembering, taken with care: JSON in whatever it is wrapped. Pure."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from bot.memory.memories import LONGEST, Fact, Type
from bot.memory.rules import refusal, tidy
from retrieval.tokens import index_tokens, word_tokens

__all__ = ["MOST", "facts"]

MOST: Final = 3
"""Facts of one message."""

_BEGINS: Final = re.compile(r"[\[{]")
_PLACES: Final = 50
_GROUNDED: Final = 0.5  # the share of a fact's telling words that the message has to hold
_NOT_TELLING: Final = frozenset({"user", "they", "person", "speaker", "team", "member", "work"})


def _upper(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


class _Item(BaseModel):
    """One item as the model writes it."""

    content: Annotated[str, Field(min_length=3, max_length=LONGEST)]
    type: Annotated[Type, BeforeValidator(_upper)] = "FACT"
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5


def facts(said: str, message: str, user: str) -> list[Fact]:
    """Return the facts in a model's answer that may be kept, three at most.

    Args:
        said: the answer: JSON, in fences or between words.
        message: the message they are to come from. What it doesn't hold was made up.
        user: the id of whoever wrote it.
    """
    kept: dict[str, Fact] = {}
    for given in _items(said):
        try:
            item = _Item.model_validate(given)
        except ValidationError:
            continue
        content = tidy(item.content)
        if content and _grounded(content, message) and refusal(content, user) is None:
            kept.setdefault(content.casefold(), Fact(content, item.type, item.importance))
    return list(kept.values())[:MOST]


def _items(said: str) -> Iterator[Any]:
    """Yield the items of the first JSON value that holds some; looked for at few places."""
    decoder = json.JSONDecoder()
    end = 0
    for place in islice(_BEGINS.finditer(said), _PLACES):
        if place.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(said, place.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "content" not in value:
            value = next((each for each in value.values() if isinstance(each, list)), [])
        items = value if isinstance(value, list) else [value]
        if items:
            yield from items
            return


def _grounded(content: str, message: str) -> bool:
    telling = set(word_tokens(content)) - _NOT_TELLING
    return bool(telling) and len(telling & set(index_tokens(message))) >= _GROUNDED * len(telling)
