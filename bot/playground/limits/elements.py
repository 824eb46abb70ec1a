"""The limits of what can be clicked, chosen or filled in."""

from collections.abc import Sequence
from typing import Any

from bot.playground.elements import objects
from bot.playground.limits.problems import (
    Problem,
    ids,
    missing,
    text_object,
    too_long,
    too_many,
)
from bot.playground.wire import Json

BUTTON_TEXT = 75
BUTTON_VALUE = 2_000
BUTTON_URL = 3_000
OPTION_TEXT = 75
OPTION_VALUE = 150
PLACEHOLDER = 150
OPTION_GROUPS = 100
INPUT_LENGTH = 3_000

MOST_OPTIONS = {
    "static_select": 100,
    "multi_static_select": 100,
    "overflow": 5,
    "checkboxes": 10,
    "radio_buttons": 10,
}
SELECTS = frozenset(
    f"{number}{kind}_select"
    for number in ("", "multi_")
    for kind in ("static", "external", "users", "conversations", "channels")
)
PICKERS = frozenset({"datepicker", "timepicker", "datetimepicker"})
TYPED = frozenset(
    {"plain_text_input", "email_text_input", "url_text_input", "number_input", "rich_text_input"}
)
BUTTONS = frozenset({"button", "workflow_button"})
CHOICES = SELECTS | PICKERS | {"checkboxes", "radio_buttons"}
ACCESSORIES = BUTTONS | CHOICES | {"overflow", "image"}
IN_ACTIONS = BUTTONS | CHOICES | {"overflow"}
IN_CONTEXT_ACTIONS = frozenset({"feedback_buttons", "icon_button"})
IN_INPUT = CHOICES | TYPED | {"file_input"}


def element(pointer: str, content: Any, allowed: frozenset[str]) -> list[Problem]:
    """The problems of one element in a place that takes only some types."""
    if not isinstance(content, dict):
        return [(pointer, "must be an object")]
    kind = str(content.get("type"))
    if kind not in allowed:
        return [(f"{pointer}/type", f"unsupported type: {kind}")]
    found = ids(pointer, content, "action_id")
    found += _button(pointer, content) if kind in BUTTONS | {"icon_button"} else []
    found += _feedback(pointer, content) if kind == "feedback_buttons" else []
    found += _input(pointer, content) if kind == "plain_text_input" else []
    if kind in MOST_OPTIONS:
        found += _options(pointer, content, MOST_OPTIONS[kind])
    if kind in SELECTS | TYPED:
        found += text_object(
            f"{pointer}/placeholder",
            content.get("placeholder"),
            PLACEHOLDER,
            plain=True,
            required=False,
        )
    return found


def elements(pointer: str, contents: Any, allowed: frozenset[str]) -> list[Problem]:
    """The problems of a block's elements; no two may have the same action_id."""
    found: list[Problem] = []
    seen: set[str] = set()
    for index, content in enumerate(objects(contents)):
        found += element(f"{pointer}/{index}", content, allowed)
        action_id = str(content.get("action_id", index))
        if action_id in seen:
            found.append((f"{pointer}/{index}/action_id", f"`{action_id}` already exists"))
        seen.add(action_id)
    return found


def options(pointer: str, contents: Any, most: int) -> list[Problem]:
    """The problems of a list of options."""
    found = too_many(pointer, contents, most)
    for index, option in enumerate(objects(contents)):
        found += text_object(f"{pointer}/{index}/text", option.get("text"), OPTION_TEXT)
        found += too_long(f"{pointer}/{index}/value", option.get("value"), OPTION_VALUE)
    return found


def _options(pointer: str, content: Json, most: int) -> list[Problem]:
    if "option_groups" not in content:
        found = options(f"{pointer}/options", content.get("options"), most)
        return found + _initial(pointer, content, objects(content.get("options")))
    groups: Sequence[Json] = objects(content["option_groups"])
    found = too_many(f"{pointer}/option_groups", content["option_groups"], OPTION_GROUPS)
    offered: list[Json] = []
    for index, group in enumerate(groups):
        where = f"{pointer}/option_groups/{index}"
        found += text_object(f"{where}/label", group.get("label"), OPTION_TEXT, plain=True)
        found += options(f"{where}/options", group.get("options"), most)
        offered += objects(group.get("options"))
    return found + _initial(pointer, content, offered)


def _initial(pointer: str, content: Json, offered: Sequence[Json]) -> list[Problem]:
    """An initial option must be one of those offered, to the letter."""
    chosen = objects([content.get("initial_option")]) + objects(content.get("initial_options"))
    return [
        (pointer, "initial option must exactly match one of the options")
        for each in chosen
        if each not in offered
    ]


def _input(pointer: str, content: Json) -> list[Problem]:
    start = content.get("initial_value", "")
    found = too_long(f"{pointer}/initial_value", start, INPUT_LENGTH)
    most = content.get("max_length", INPUT_LENGTH)
    if not isinstance(most, int) or not 1 <= most <= INPUT_LENGTH:
        found.append((f"{pointer}/max_length", f"must be from 1 to {INPUT_LENGTH}"))
    return found


def _feedback(pointer: str, content: Json) -> list[Problem]:
    found: list[Problem] = []
    for name in ("positive_button", "negative_button"):
        if isinstance(content.get(name), dict):
            found += _button(f"{pointer}/{name}", content[name])
        else:
            found += missing(pointer, name)
    return found


def _button(pointer: str, content: Json) -> list[Problem]:
    return (
        text_object(f"{pointer}/text", content.get("text"), BUTTON_TEXT, plain=True)
        + too_long(f"{pointer}/value", content.get("value", ""), BUTTON_VALUE)
        + too_long(f"{pointer}/url", content.get("url", ""), BUTTON_URL)
    )
