"""The words by which a message says that what it brings shall be ingested. Pure."""

import re
from typing import Final

from bot.question import parse

__all__ = ["asks_to_ingest"]

_WORD: Final = re.compile(r"(?:please\s+)?ingest(?:\s+(?:this|these|it|them))?(?:\s+please)?[.!]*")


def asks_to_ingest(text: str) -> bool:
    """Tell whether a message, its filters aside, says nothing but that."""
    return _WORD.fullmatch(parse(text).text.strip().lower()) is not None
