"""Block Kit's pieces that replies are made of. Pure. Texts are safe already (`bot.mrkdwn`)."""

from dataclasses import dataclass
from typing import Any

from bot.mrkdwn import cut

__all__ = ["Block", "Reply", "actions", "button", "context", "divider", "plain_text", "section"]

_SECTION = 2_900  # characters; Slack takes 3,000
_BUTTON = 75

type Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """A message: `text` is what notifications and screen readers get."""

    text: str
    blocks: list[Block]


def section(text: str, accessory: Block | None = None) -> Block:
    """Return a paragraph of mrkdwn, with a button or menu beside it."""
    block: Block = {"type": "section", "text": {"type": "mrkdwn", "text": cut(text, _SECTION)}}
    return block if accessory is None else {**block, "accessory": accessory}


def context(text: str) -> Block:
    """Return small print of mrkdwn."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": cut(text, _SECTION)}]}


def divider() -> Block:
    """Return a line."""
    return {"type": "divider"}


def plain_text(text: str) -> Block:
    """Return a text in which nothing is markup."""
    return {"type": "plain_text", "text": text, "emoji": True}


def button(words: str, action_id: str, value: str, **more: Any) -> Block:
    """Return a button; a listener of `action_id` gets its `value`."""
    return {
        "type": "button",
        "text": plain_text(cut(words, _BUTTON)),
        "action_id": action_id,
        "value": value,
        **more,
    }


def actions(*elements: Block) -> Block:
    """Return a row of buttons and menus."""
    return {"type": "actions", "elements": list(elements)}
