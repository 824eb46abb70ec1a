"""The reply to each way in which a turn ends. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from bot import code
from bot.mrkdwn import cut, escape, markdown, one_line
from bot.outcome import Citation, Outcome
from bot.replies.around import NOTHING, Around
from bot.replies.blocks import Block, Reply, context, divider, section
from bot.replies.buttons import below_answer, below_closest, show_chunk
from bot.replies.markers import linked
from bot.replies.no_match import render_no_match
from bot.replies.parts import split_markdown
from bot.replies.searching import filters, footer, notes
from bot.replies.sources import line, quote, quoted, title
from bot.thread_buttons import thread_buttons

__all__ = ["render", "render_question"]

_ANSWER = 9_000  # characters of a markdown block, escaped; Slack takes 12,000 in a message
_LINKED = 11_500  # characters of one with its links; where they take more, it has none
_TEXT = 2_000
_HEARD = 600
_MOST_SOURCES = 40
_ENDED = {
    "cancelled": "Stopped, as you asked.",
    "superseded": "Not answered: your next message puts this question right, so I answer that one.",
}
_UNANSWERED = {
    "uncited": "I found runbooks that come close, but nothing in them that I can quote as an"
    " answer. These are the closest chunks:",
    "budget": "I ran out of time before I had an answer that I can cite. These are the closest"
    " chunks:",
}
_FAILED = (
    "Something failed on my side, and I have no answer for you. Ask again in a minute; if it"
    " stays, give incident id `{}` to whoever runs me."
)


def render(outcome: Outcome, around: Around = NOTHING) -> Reply:
    """Return the message that shows an outcome; a long one takes several (`messages`).

    What was asked aloud stands above it, as it was understood.
    """
    reply = _ended(outcome, around)
    if not outcome.heard:
        return reply
    heard = context(f"Heard: “{one_line(outcome.heard, _HEARD)}”")
    return replace(reply, blocks=[heard, *reply.blocks])


def _ended(outcome: Outcome, around: Around) -> Reply:
    match outcome.stop_reason:
        case "cited":
            return _cited(outcome, around)
        case "no_match":
            return render_no_match(outcome, around)
        case "cancelled" | "superseded":
            return _plain(_ENDED[outcome.stop_reason])
        case "noted" | "unheard":
            return _plain(escape(cut(" ".join(outcome.notes), _TEXT)))
        case "uncited" | "budget":
            return _closest(outcome, around, _UNANSWERED[outcome.stop_reason])
        case "error":
            return _closest(outcome, around, _FAILED.format(outcome.incident))


def render_question(
    author: str, text: str, services: Sequence[str], doc_types: Sequence[str]
) -> Reply:
    """Return the message that a slash command's question becomes, the root of its thread."""
    words = escape(cut(text, 2_500))
    only = filters(services, doc_types)
    under = [context(f"Only {only}")] if only else []
    asked = f"<@{author}> asks: {words}"
    return Reply(cut(asked, _TEXT), [section(asked), *under])


def _cited(outcome: Outcome, around: Around) -> Reply:
    sources = [_source(citation, outcome.answer, around) for citation in outcome.citations]
    names = "; ".join(f"[{c.marker}] {title(c.passage)}" for c in outcome.citations)
    plain = "\n".join(each for each, is_code in code.lines(outcome.answer) if not is_code)
    # Split before the markers grow to links, so that no link is cut.
    parts = split_markdown(markdown(outcome.answer), _ANSWER)
    return Reply(
        text=cut(f"{escape(cut(plain, 1_200))}\n{names}", _TEXT),
        blocks=[
            *(_answer(part, outcome.citations) for part in parts),
            divider(),
            *sources[:_MOST_SOURCES],
            *footer(outcome),
            *below_answer(around),
            *([thread_buttons(outcome)] if around.turn and not around.private else []),
        ],
    )


def _answer(part: str, citations: Sequence[Citation]) -> Block:
    with_links = linked(part, citations)
    return {"type": "markdown", "text": with_links if len(with_links) <= _LINKED else part}


def _closest(outcome: Outcome, around: Around, sentence: str) -> Reply:
    chunks = [section(f"{line(each, around)}\n{quote(each)}") for each in outcome.passages[:4]]
    incident: list[Block] = []
    if outcome.incident and outcome.stop_reason != "error":
        incident = [context(f"Incident id `{outcome.incident}`, for whoever runs me.")]
    failed = outcome.stop_reason == "error"  # there is nothing in it that others would want
    below = below_closest(replace(around, private=around.private and not failed))
    return Reply(sentence, [section(sentence), *chunks, *notes(outcome), *incident, *below])


def _plain(sentence: str) -> Reply:
    return Reply(sentence, [section(sentence)])


def _source(citation: Citation, answer: str, around: Around) -> Block:
    words = quote(citation.passage, quoted(answer, citation.marker))
    named = f"*[{citation.marker}]* {line(citation.passage, around)}"
    return section(f"{named}\n{words}", show_chunk(around, citation.marker))
