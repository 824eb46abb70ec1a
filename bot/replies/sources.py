"""How a passage is named and quoted in a reply. Pure."""

import re

from bot.mrkdwn import excerpt, link, one_line
from bot.replies.around import NOTHING, Around
from retrieval.documents import Passage

__all__ = ["line", "quote", "quoted", "title"]

_EXCERPT = 280  # characters of a source shown below the answer


def line(passage: Passage, around: Around = NOTHING) -> str:
    """Return the line that names a passage: title › heading, page, service, type, age, owner."""
    parts = [f"*{link(passage.link, title(passage))}*"]
    if passage.page is not None:
        parts.append(f"p. {passage.page}")
    parts += [one_line(passage.service, 60), one_line(passage.doc_type, 60)]
    if changed := around.dates.get(passage.document_id):
        parts.append(f"as of {changed.isoformat()}")
    if owner := around.owners.get(passage.service):
        parts.append(f"owner <#{owner}>")
    return " · ".join(parts)


def title(passage: Passage) -> str:
    """Return `title › heading`."""
    if passage.heading and passage.heading != passage.title:
        return f"{one_line(passage.title, 100)} › {one_line(passage.heading, 80)}"
    return one_line(passage.title, 100)


def quoted(answer: str, marker: int) -> str:
    """Return the words of the answer's first line that carries a marker."""
    found = next((each for each in answer.split("\n") if f"[{marker}]" in each), "")
    words = found.partition(" ⚠ ")[0]
    return re.sub(r"(?:\s*\[\d+\])+\s*$|^\s*- ", "", words)


def quote(passage: Passage, words: str = "") -> str:
    """Return a piece of a passage, around the words that an answer quotes, as a quotation."""
    return "> " + excerpt(passage.text, words, _EXCERPT)
