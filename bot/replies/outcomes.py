"""The reply to each way in which a turn ends. Pure."""

from collections.abc import Sequence

from bot import code
from bot.mrkdwn import cut, cut_lines, escape, link, markdown, one_line
from bot.outcome import Citation, Outcome, Searched
from bot.replies.blocks import Block, Reply, context, divider, section
from bot.replies.sources import line, quote, quoted, title
from retrieval.documents import Near

__all__ = ["removed_note", "render", "render_question"]

_ANSWER = 11_000  # characters of the markdown block, escaped; Slack takes 12,000
_TEXT = 2_000


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
    under = [context(f"Only {filters}")] if filters else []
    asked = f"<@{author}> asks: {words}"
    return Reply(cut(asked, _TEXT), [section(asked), *under])


def _cited(outcome: Outcome) -> Reply:
    sources = [_source(citation, outcome.answer) for citation in outcome.citations]
    names = "; ".join(f"[{c.marker}] {title(c.passage)}" for c in outcome.citations)
    plain = "\n".join(each for each, is_code in code.lines(outcome.answer) if not is_code)
    return Reply(
        text=cut(f"{escape(cut(plain, 1_200))}\n{names}", _TEXT),
        blocks=[
            {"type": "markdown", "text": cut_lines(markdown(outcome.answer), _ANSWER)},
            divider(),
            *sources[:20],
            *_footer(outcome),
        ],
    )


def _no_match(outcome: Outcome) -> Reply:
    if not outcome.searched and outcome.notes:
        return _plain(escape(" ".join(outcome.notes)))
    if not outcome.searched:
        return _plain(
            "Ask me a question, such as an alert's name or an error text, and I'll look in the"
            " runbooks. Add `service:NAME` or `type:NAME` to narrow the search."
        )
    lines = ["*No match.* Nothing in the runbooks answers this."]
    lines.append("Searched: " + "; ".join(_searched(each) for each in outcome.searched))
    blocks = [section("\n".join(lines))]
    if outcome.nearest:
        near = "\n".join(f"• {_near(each)}" for each in outcome.nearest[:3])
        blocks.append(section(f"Nearest, but too far to be an answer:\n{near}"))
    next_step = "Try the alert's name or the exact error text"
    if any(each.services or each.doc_types for each in outcome.searched):
        next_step += ", or ask without the filter"
    next_step += ". If nobody has written it down yet, this is a runbook worth writing."
    titles = ", ".join(one_line(each.title) for each in outcome.nearest[:3])
    text = "No match: nothing in the runbooks answers this."
    if titles:
        text += f" Nearest titles: {titles}."
    return Reply(text, [*blocks, context(next_step), *_notes(outcome)])


def _closest(outcome: Outcome, sentence: str) -> Reply:
    chunks = [section(f"{line(each)}\n{quote(each)}") for each in outcome.passages[:4]]
    return Reply(sentence, [section(sentence), *chunks, *_notes(outcome)])


def _plain(sentence: str) -> Reply:
    return Reply(sentence, [section(sentence)])


def _source(citation: Citation, answer: str) -> Block:
    words = quote(citation.passage, quoted(answer, citation.marker))
    return section(f"*[{citation.marker}]* {line(citation.passage)}\n{words}")


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
    return [context(f"Searched {where}."), *_notes(outcome)]


def _notes(outcome: Outcome) -> list[Block]:
    removed = [removed_note(outcome.removed)] if outcome.removed else []
    return [context(escape(cut(note, 300))) for note in (*removed, *outcome.notes)]


def removed_note(count: int) -> str:
    """Return the sentence that says how much of an answer isn't shown."""
    claims = "1 claim was" if count == 1 else f"{count} claims were"
    return f"{claims} left out of this answer for lack of a citation."
