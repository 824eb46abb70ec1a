"""What was searched, in words. Pure."""

from collections.abc import Sequence

from bot.memory.shown import used
from bot.mrkdwn import cut, escape, one_line
from bot.outcome import Outcome, Searched
from bot.replies.blocks import Block, context

__all__ = ["filters", "footer", "notes", "removed_note", "searched"]


def searched(search: Searched) -> str:
    """Return the words and filters of a search."""
    words = one_line(search.query, 200)
    where = filters(search.services, search.doc_types)
    return f"“{words}” in {where or 'all services and types'}"


def filters(services: Sequence[str], doc_types: Sequence[str]) -> str:
    """Return filters in words; empty when there are none."""
    parts: list[str] = []
    if services:
        parts.append("service " + ", ".join(one_line(each, 60) for each in services))
    if doc_types:
        parts.append("type " + ", ".join(one_line(each, 60) for each in doc_types))
    return cut(" and ".join(parts), 300)


def footer(outcome: Outcome) -> list[Block]:
    """Return what stands under an answer: where it was searched, what was degraded."""
    found = [filters(each.services, each.doc_types) for each in outcome.searched]
    where = "; ".join(each for each in found if each) or "all services and types"
    return [context(f"Searched {where}."), *notes(outcome), *used(outcome)]


def notes(outcome: Outcome) -> list[Block]:
    """Return what was left out or degraded."""
    removed = [removed_note(outcome.removed)] if outcome.removed else []
    return [context(escape(cut(note, 300))) for note in (*removed, *outcome.notes)]


def removed_note(count: int) -> str:
    """Return the sentence that says how much of an answer isn't shown."""
    claims = "1 claim was" if count == 1 else f"{count} claims were"
    return f"{claims} left out of this answer for lack of a citation."
