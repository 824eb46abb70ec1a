"""Outcome → what Slack shows: a short fallback text and Block Kit blocks. Pure.

Every text passes through `bot.mrkdwn`. Limits are Slack's: 50 blocks a message, 3,000 characters
a section, 12,000 in all `markdown` blocks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot import code
from bot.mrkdwn import cut, cut_lines, escape, excerpt, link, markdown, one_line
from bot.outcome import Citation, Outcome, Searched
from retrieval.documents import Near, Passage

__all__ = ["Reply", "removed_note", "render", "render_question"]

_ANSWER = 11_000  # characters of the markdown block, escaped; Slack takes 12,000
_EXCERPT = 280  # characters of a source shown below the answer
_TEXT = 2_000

type Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """A message: `text` is what notifications and screen readers get."""

    text: str
    blocks: list[Block]


def render(outcome: Outcome) -> Reply:
    """Return the message that shows an outcome."""
    match outcome.stop_reason:
        case "cited":
            return _cited(outcome)
        case "no_match":
            return _no_match(outcome)
        case "uncited" | "budget":
            return _closest(
                outcome,
                "I found runbooks that come close, but nothing in them that I can quote as an"
                " answer. These are the closest chunks:",
            )
        case "cancelled":
            return _plain("Stopped, as you asked.")
        case "superseded":
            return _plain("Stopped: this question was replaced.")
        case "error":
            return _closest(
                outcome,
                "Something failed on my side, and I have no answer for you. Ask again in a"
                f" minute; if it stays, give incident id `{outcome.incident}` to whoever runs me.",
            )


def render_question(
    author: str, text: str, services: Sequence[str], doc_types: Sequence[str]
) -> Reply:
    """Return the message that a slash command's question becomes, the root of its thread."""
    words = escape(cut(text, 2_500))
    filters = _filters(services, doc_types)
    under = [_context(f"Only {filters}")] if filters else []
    line = f"<@{author}> asks: {words}"
    return Reply(cut(line, _TEXT), [_section(line), *under])


def _cited(outcome: Outcome) -> Reply:
    sources = [_source(citation, outcome.answer) for citation in outcome.citations]
    names = "; ".join(f"[{c.marker}] {_title(c.passage)}" for c in outcome.citations)
    plain = "\n".join(line for line, is_code in code.lines(outcome.answer) if not is_code)
    return Reply(
        text=cut(f"{escape(cut(plain, 1_200))}\n{names}", _TEXT),
        blocks=[
            {"type": "markdown", "text": cut_lines(markdown(outcome.answer), _ANSWER)},
            {"type": "divider"},
            *sources[:20],
            *_footer(outcome),
        ],
    )


def _no_match(outcome: Outcome) -> Reply:
    if not outcome.searched:
        return _plain(
            "Ask me a question, such as an alert's name or an error text, and I'll look in the"
            " runbooks. Add `service:NAME` or `type:NAME` to narrow the search."
        )
    lines = ["*No match.* Nothing in the runbooks answers this."]
    lines.append("Searched: " + "; ".join(_searched(each) for each in outcome.searched))
    blocks = [_section("\n".join(lines))]
    if outcome.nearest:
        near = "\n".join(f"• {_near(each)}" for each in outcome.nearest[:3])
        blocks.append(_section(f"Nearest, but too far to be an answer:\n{near}"))
    next_step = "Try the alert's name or the exact error text"
    if any(each.services or each.doc_types for each in outcome.searched):
        next_step += ", or ask without the filter"
    next_step += ". If nobody has written it down yet, this is a runbook worth writing."
    titles = ", ".join(one_line(each.title) for each in outcome.nearest[:3])
    text = "No match: nothing in the runbooks answers this."
    if titles:
        text += f" Nearest titles: {titles}."
    return Reply(text, [*blocks, _context(next_step), *_notes(outcome)])


def _closest(outcome: Outcome, sentence: str) -> Reply:
    chunks = [_section(f"{_line(each)}\n{_excerpt(each)}") for each in outcome.passages[:4]]
    return Reply(sentence, [_section(sentence), *chunks, *_notes(outcome)])


def _plain(sentence: str) -> Reply:
    return Reply(sentence, [_section(sentence)])


def _source(citation: Citation, answer: str) -> Block:
    excerpt = _excerpt(citation.passage, _quoted(answer, citation.marker))
    return _section(f"*[{citation.marker}]* {_line(citation.passage)}\n{excerpt}")


def _line(passage: Passage) -> str:
    parts = [f"*{link(passage.link, _title(passage))}*"]
    if passage.page is not None:
        parts.append(f"p. {passage.page}")
    parts += [one_line(passage.service, 60), one_line(passage.doc_type, 60)]
    return " · ".join(parts)


def _title(passage: Passage) -> str:
    if passage.heading and passage.heading != passage.title:
        return f"{one_line(passage.title, 100)} › {one_line(passage.heading, 80)}"
    return one_line(passage.title, 100)


def _quoted(answer: str, marker: int) -> str:
    """Return the words of the answer's first line that carries a marker."""
    line = next((each for each in answer.split("\n") if f"[{marker}]" in each), "")
    words = line.partition(" ⚠ ")[0]
    return re.sub(r"(?:\s*\[\d+\])+\s*$|^\s*- ", "", words)


def _excerpt(passage: Passage, quoted: str = "") -> str:
    return "> " + excerpt(passage.text, quoted, _EXCERPT)


def _near(near: Near) -> str:
    return f"{link(near.link, one_line(near.title, 100))} · {one_line(near.service, 60)}"


def _searched(searched: Searched) -> str:
    words = one_line(searched.query, 200)
    filters = _filters(searched.services, searched.doc_types)
    return f"“{words}” in {filters or 'all services and types'}"


def _filters(services: Sequence[str], doc_types: Sequence[str]) -> str:
    parts: list[str] = []
    if services:
        parts.append("service " + ", ".join(one_line(each, 60) for each in services))
    if doc_types:
        parts.append("type " + ", ".join(one_line(each, 60) for each in doc_types))
    return cut(" and ".join(parts), 300)


def _footer(outcome: Outcome) -> list[Block]:
    filters = [_filters(each.services, each.doc_types) for each in outcome.searched]
    where = "; ".join(each for each in filters if each) or "all services and types"
    return [_context(f"Searched {where}."), *_notes(outcome)]


def _notes(outcome: Outcome) -> list[Block]:
    removed = [removed_note(outcome.removed)] if outcome.removed else []
    return [_context(escape(cut(note, 300))) for note in (*removed, *outcome.notes)]


def removed_note(count: int) -> str:
    """Return the sentence that says how much of an answer isn't shown."""
    claims = "1 claim was" if count == 1 else f"{count} claims were"
    return f"{claims} left out of this answer for lack of a citation."


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": cut(text, 2_900)}}


def _context(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]}
