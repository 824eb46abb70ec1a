"""Modals with fields, within Slack's limits, and reading what was entered. Pure.

Names that come from documents or from Slack are cut for a label and kept whole as a value; one
that is too long for a value can't be chosen.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from bot.mrkdwn import cut

__all__ = [
    "Block",
    "choice",
    "choices",
    "entered",
    "field",
    "form",
    "option",
    "plain",
    "section",
]

_OPTIONS = 100
_LABEL = 75
_VALUE = 150

type Block = dict[str, Any]


def plain(text: str, most: int = _LABEL) -> Block:
    """Return a text object that Slack shows as it is."""
    return {"type": "plain_text", "text": cut(text, most), "emoji": False}


def section(text: str) -> Block:
    """Return a paragraph; `text` is mrkdwn, safe already."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": cut(text, 2_900)}}


def option(value: str, label: str | None = None) -> Block:
    """Return something to choose."""
    return {"text": plain(label or value), "value": value}


def choice(action: str, options: Sequence[Block], initial: str | None) -> Block:
    """Return a list of which one is chosen."""
    chosen = next((each for each in options if each["value"] == initial), None)
    return {
        "type": "static_select",
        "action_id": action,
        "options": list(options),
        **({"initial_option": chosen} if chosen else {}),
    }


def choices(action: str, names: Iterable[str | Block], initial: Iterable[str] = ()) -> Block | None:
    """Return a list of which some are chosen; None when there is nothing to choose."""
    options = [option(each) if isinstance(each, str) else each for each in names]
    options = [each for each in options if 0 < len(each["value"]) <= _VALUE][:_OPTIONS]
    if not options:
        return None
    wanted = set(initial)
    chosen = [each for each in options if each["value"] in wanted]
    return {
        "type": "multi_static_select",
        "action_id": action,
        "options": options,
        **({"initial_options": chosen} if chosen else {}),
    }


def field(block: str, label: str, element: Block, hint: str = "") -> Block:
    """Return a field of a form, which may stay empty unless one of a list is chosen already."""
    return {
        "type": "input",
        "block_id": block,
        "optional": "initial_option" not in element,
        "label": plain(label, 150),
        "element": element,
        **({"hint": plain(hint, 150)} if hint else {}),
    }


def form(
    callback: str, title: str, blocks: Sequence[Block], *, about: str = "", submit: str = "Save"
) -> Block:
    """Return a modal; `about` is its private_metadata. Without a field it has nothing to submit."""
    fields = any(each["type"] == "input" for each in blocks)
    return {
        "type": "modal",
        "callback_id": callback,
        "private_metadata": about,
        "title": plain(title, 24),
        "close": plain("Cancel" if fields else "Close", 24),
        **({"submit": plain(submit, 24)} if fields else {}),
        "blocks": list(blocks),
    }


def entered(view: Mapping[str, Any], block: str) -> list[str]:
    """Return what was chosen or written in a field, as values; none when it was left empty."""
    fields: Mapping[str, Any] = view["state"]["values"].get(block) or {}
    entry: Mapping[str, Any] = next(iter(fields.values()), {})
    for key in ("selected_options", "selected_option"):
        if key in entry:
            found: Any = entry[key] or []
            several = cast("list[Any]", found if isinstance(found, list) else [found])
            return [str(each["value"]) for each in several]
    for key in ("selected_conversation", "selected_user", "value"):
        if entry.get(key):
            return [str(entry[key])]
    return []
