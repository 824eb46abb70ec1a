"""What a model thought aloud, taken out of what it says. Pure.

Models write `<think>…</think>` before the answer; a chat template may have said the opening tag
already, and a model that ran out of tokens never says the closing one. When in doubt it is
reasoning: shown, it would pass for an answer.
"""

import re
from typing import Final

__all__ = ["without_reasoning"]

_TAG: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """Return what remains of a whole text."""
    kept = ""
    start: int | None = 0  # of what is said; None while it thinks
    for tag in _TAG.finditer(text):
        closes = bool(tag.group(1))
        if closes:
            if start is not None:  # never opened: all so far was reasoning
                kept = ""
            start = tag.end()
        elif start is not None:
            kept += text[start : tag.start()]
            start = None
    return (kept + (text[start:] if start is not None else "")).strip()
