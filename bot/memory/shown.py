"""Memories as Slack shows them, to their owner alone: the footer, a list, a modal. Pure."""

from collections.abc import Sequence
from typing import Any

from bot.memory.memories import Memory
from bot.mrkdwn import one_line
from bot.outcome import Outcome

__all__ = ["CLEAR", "FORGET", "LIST", "SWITCH", "counted", "listed", "modal", "section", "used"]

LIST = "footnote:memory:list"
FORGET = "footnote:memory:forget"
CLEAR = "footnote:memory:clear"
SWITCH = "footnote:memory:switch"

_IN_HOME = 5
_IN_MODAL = 40  # below the 100 blocks that a view may have
_SHOWN = 300  # characters of a memory

type Block = dict[str, Any]


def used(outcome: Outcome) -> list[Block]:
    """Return the line of a reply that says that memories were used; none when none were.

    The button carries whose they are. What it opens is asked for by whoever clicks.
    """
    if not outcome.memories:
        return []
    how = "" if outcome.model else " to order the sources"
    text = f"Used {counted(outcome.memories)}{how}."
    return [{**_text(text), "accessory": _button("Show", LIST, outcome.asker)}]


def counted(count: int) -> str:
    """Return `1 memory` or `2 memories`."""
    return "1 memory" if count == 1 else f"{count} memories"


def listed(memories: Sequence[Memory], total: int, first: int, *, on: bool) -> str:
    """Return a page of memories as mrkdwn lines; `first` is how many stand before it."""
    off = "" if on else "Memory is off for you: I neither learn nor recall.\n"
    if not total:
        return f"{off}I remember nothing of you. `/memory add TEXT` tells me something."
    lines = [f"*{each.number}* · {_words(each)}" for each in memories]
    rest = total - first - len(memories)
    more = [f"{rest} more: `/memory list {(first + len(memories)) // len(memories) + 1}`"]
    return off + "\n".join([*lines, *(more if rest > 0 and memories else [])])


def modal(memories: Sequence[Memory], total: int, *, on: bool) -> dict[str, Any]:
    """Return the view that lists memories, each with a button to forget it."""
    blocks = _rows(memories[:_IN_MODAL])
    if total > _IN_MODAL:
        blocks.append(_text(f"And {counted(total - _IN_MODAL)} more: see `/memory list`."))
    if not total:
        blocks.append(_text("I remember nothing of you."))
    return {
        "type": "modal",
        "title": {"type": "plain_text", "text": "Your memories"},
        "close": {"type": "plain_text", "text": "Close"},
        "blocks": [*blocks, _controls(total, on=on)],
    }


def section(memories: Sequence[Memory], total: int, *, on: bool) -> list[Block]:
    """Return the part of the Home tab that is about memory; the newest come first."""
    them = "it" if total == 1 else "them"
    said = f"I remember {counted(total)} of yours; only you can see {them}."
    if not total:
        said = "I remember nothing of you yet. `/memory add TEXT` tells me something."
    if not on:
        said += " Memory is off: I neither learn nor recall."
    return [
        {"type": "header", "text": {"type": "plain_text", "text": "Memory"}},
        _text(said),
        *_rows(memories[:_IN_HOME]),
        _controls(total, on=on),
    ]


def _rows(memories: Sequence[Memory]) -> list[Block]:
    return [
        {**_text(_words(each)), "accessory": _button("Forget", FORGET, str(each.number))}
        for each in memories
    ]


def _controls(total: int, *, on: bool) -> Block:
    elements = [_button("Turn off" if on else "Turn on", SWITCH, "off" if on else "on")]
    if total:
        confirm = {
            "title": {"type": "plain_text", "text": "Forget everything?"},
            "text": {"type": "plain_text", "text": "All your memories go; there is no way back."},
            "confirm": {"type": "plain_text", "text": "Forget all"},
            "deny": {"type": "plain_text", "text": "Keep"},
        }
        elements.append({**_button("Forget all", CLEAR, "all"), "confirm": confirm})
    return {"type": "actions", "elements": elements}


def _words(memory: Memory) -> str:
    return f"{one_line(memory.content, _SHOWN)} _{memory.type.lower()}_"


def _button(text: str, action: str, value: str) -> Block:
    label = {"type": "plain_text", "text": text}
    return {"type": "button", "text": label, "action_id": action, "value": value}


def _text(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
