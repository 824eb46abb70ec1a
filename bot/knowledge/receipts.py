"""What the message of an ingest shows: how far it is, then the receipt. Pure."""

from collections.abc import Sequence
from typing import Any

from bot.knowledge.results import Result
from bot.mrkdwn import cut, escape, link, one_line

__all__ = ["DELETE", "Block", "deleted", "progress", "receipt"]

DELETE = "footnote:knowledge:delete"
"""The action of the button; its value is the document's id."""

_NAMED = 4  # headings or titles in a line
_PAGES = 12

type Block = dict[str, Any]


def progress(done: int, total: int, name: str, doing: str) -> tuple[str, list[Block]]:
    """Return text and blocks of a request that is being done."""
    of = f" ({done + 1} of {total})" if total > 1 else ""
    text = f"{doing} {one_line(name, 200)}{of} …"
    return text, [_section(f":hourglass_flowing_sand: {text}")]


def receipt(author: str, results: Sequence[Result]) -> tuple[str, list[Block]]:
    """Return text and blocks of a request that is done."""
    good = [each for each in results if each.state != "failed"]
    bad = len(results) - len(good)
    names = ", ".join(one_line(each.title, 80) for each in good[:_NAMED])
    text = f"Ingested: {names}." if good else "Nothing was ingested."
    if bad and good:
        text += f" {bad} failed."
    blocks = [block for each in results for block in _blocks(each)]
    return cut(text, 1_000), [*blocks, _context(f"Asked for by <@{author}>.")]


def deleted(document: str, blocks: Sequence[Block], by: str) -> list[Block]:
    """Return a receipt's blocks after one of its documents was deleted."""
    kept: list[Block] = []
    for block in blocks:
        if block.get("block_id") == f"delete:{document}":
            kept.append(_context(f"Deleted by <@{by}>."))
        else:
            kept.append(block)
    return kept


def _blocks(result: Result) -> list[Block]:
    if result.state == "failed":
        return [
            _section(f":x: *{one_line(result.name, 150)}*\n{escape(cut(result.reason, 1_000))}")
        ]
    title = f"*{link(result.link, one_line(result.title, 100))}*"
    labels = f"{one_line(result.service, 60)} · {one_line(result.doc_type, 60)}"
    seen = "seen only in this channel" if result.audience else "seen by everyone in the workspace"
    head = f":page_facing_up: {title} · {labels} · {seen}"
    lines = [head, f"{_state(result)} {_count(result.sections, 'section')}, "]
    lines[-1] += f"{_count(result.chunks, 'chunk')}."
    lines += [f"• {each}" for each in _notes(result)]
    button = {
        "type": "button",
        "action_id": DELETE,
        "style": "danger",
        "text": {"type": "plain_text", "text": "Delete"},
        "value": result.document,
        "confirm": {
            "title": {"type": "plain_text", "text": "Delete this document?"},
            "text": {"type": "mrkdwn", "text": f"{title} will no longer be found or cited."},
            "confirm": {"type": "plain_text", "text": "Delete"},
            "deny": {"type": "plain_text", "text": "Keep"},
            "style": "danger",
        },
    }
    actions = {"type": "actions", "block_id": f"delete:{result.document}", "elements": [button]}
    return [_section("\n".join(lines)), actions]


def _state(result: Result) -> str:
    match result.state:
        case "added":
            return "New:"
        case "changed":
            return "Replaces the last version:"
        case _:
            return "Nothing has changed since the last version:"


def _notes(result: Result) -> list[str]:
    notes: list[str] = []
    changes = result.changes
    for verb, headings in [
        ("New", changes.added),
        ("Changed", changes.changed),
        ("Gone", changes.removed),
    ]:
        if headings and result.state == "changed":
            notes.append(f"{verb}: {_names(headings)}")
    if result.pages_without_text:
        pages = ", ".join(map(str, result.pages_without_text[:_PAGES]))
        more = len(result.pages_without_text) - _PAGES
        and_more = f" and {more} more" if more > 0 else ""
        notes.append(f"No text on page {pages}{and_more}: pictures of text can't be searched.")
    if result.duplicates:
        notes.append(f"The very same text is here already: {_names(result.duplicates)}")
    if result.suspicious:
        notes.append(
            ":warning: Some of it reads like instructions to me, which I won't follow:"
            f" {_names(result.suspicious)}"
        )
    if not result.chunks:
        notes.append("There is no text in it, so nothing of it can be found.")
    return notes


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{one_line(each, 80)}”" for each in names[:_NAMED])
    more = len(names) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": cut(text, 2_900)}}


def _context(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]}
