"""An answer's markers as links to what they point to. Pure."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from bot import code
from bot.mrkdwn import escape
from bot.outcome import Citation

__all__ = ["linked"]

_MARKER = re.compile(r"\[(\d{1,3})\](?!\()")
_SAFE = "!#$%&'*+,-./:;=?@_~"  # no brackets or parentheses, which would end the link
_LONGEST = 1_000


def linked(answer: str, citations: Sequence[Citation]) -> str:
    """Return escaped Markdown in which each marker outside code leads to its source's address.

    It is written `[[1](address)]`: whatever a renderer makes of it, `[1]` is what one reads.
    """
    addresses = {each.marker: _address(each.passage.link) for each in citations}

    def link(match: re.Match[str]) -> str:
        address = addresses.get(int(match[1]))
        return f"[[{match[1]}]({address})]" if address else match[0]

    return "\n".join(
        line if is_code else code.outside_spans(line, lambda prose: _MARKER.sub(link, prose))
        for line, is_code in code.lines(answer)
    )


def _address(link: str | None) -> str | None:
    if not link or not re.match(r"https?://", link, re.IGNORECASE):
        return None
    safe = escape(quote(link, safe=_SAFE))
    return safe if len(safe) <= _LONGEST else None
