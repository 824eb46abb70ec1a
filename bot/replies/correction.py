"""The modal that asks what was wrong with an answer. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from bot.replies.blocks import Block, plain_text
from bot.replies.notices import REASONS

__all__ = ["FORM", "correction_form", "place_of"]

FORM: Final = "footnote:feedback:correction"
_LONGEST = 2_900


def correction_form(turn: str, channel: str) -> dict[str, Any]:
    """Return the modal; both fields may stay empty."""
    options = [{"text": plain_text(words), "value": name} for name, words in REASONS.items()]
    reason = {"type": "radio_buttons", "action_id": "reason", "options": options}
    correction = {
        "type": "plain_text_input",
        "action_id": "correction",
        "multiline": True,
        "max_length": _LONGEST,
    }
    return {
        "type": "modal",
        "callback_id": FORM,
        "private_metadata": f"{turn}:{channel}",
        "title": plain_text("Correct this"),
        "submit": plain_text("Send"),
        "close": plain_text("Cancel"),
        "blocks": [
            _field("reason", "What is wrong?", reason),
            _field(
                "correction",
                "What would be right?",
                correction,
                "The owners of the runbook may read it; where it is private, it stays here.",
            ),
        ],
    }


def place_of(view: Mapping[str, Any]) -> tuple[str, str]:
    """Return the turn and the channel that a filled form is about."""
    turn, _, channel = str(view.get("private_metadata") or "").partition(":")
    return turn, channel


def _field(name: str, label: str, element: Block, hint: str | None = None) -> Block:
    hinted = {} if hint is None else {"hint": plain_text(hint)}
    return {
        "type": "input",
        "block_id": name,
        "optional": True,
        "label": plain_text(label),
        "element": element,
        **hinted,
    }
