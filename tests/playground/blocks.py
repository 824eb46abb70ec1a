"""Pieces of Block Kit that several tests use."""

from typing import Any

type Block = dict[str, Any]


def plain(text: str) -> Block:
    """A plain text object."""
    return {"type": "plain_text", "text": text}


def button(action_id: str, value: str = "", text: str = "Press") -> Block:
    """A button."""
    return {"type": "button", "action_id": action_id, "value": value, "text": plain(text)}


def option(value: str) -> Block:
    """An option whose text is its value."""
    return {"text": plain(value), "value": value}


def select(action_id: str, *values: str) -> Block:
    """A select of some values."""
    return {
        "type": "static_select",
        "action_id": action_id,
        "placeholder": plain("Choose"),
        "options": [option(value) for value in values],
    }


def actions(*elements: Block) -> Block:
    """A row of elements."""
    return {"type": "actions", "block_id": "row", "elements": list(elements)}


def field(element: Block, block_id: str, **further: Any) -> Block:
    """A labelled field of a form."""
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain(block_id),
        "element": element,
        **further,
    }


def text_input(action_id: str, **further: Any) -> Block:
    """A box to write in."""
    return {"type": "plain_text_input", "action_id": action_id, **further}


def modal(*blocks: Block, title: str = "Settings", **further: Any) -> Block:
    """A modal with a button to submit it."""
    return {
        "type": "modal",
        "title": plain(title),
        "submit": plain("Save"),
        "blocks": list(blocks),
        **further,
    }


def section(text: str, **further: Any) -> Block:
    """A section of mrkdwn."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}, **further}
