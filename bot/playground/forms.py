"""What Slack itself says of a form before the app hears of it. Pure."""

from collections.abc import Sequence
from typing import Any

from bot.playground.elements import HOLDS, Element, elements
from bot.playground.wire import Json

MISSING = "Please complete this required field."


def problems(blocks: Sequence[Json], values: Json) -> dict[str, str]:
    """A sentence for each field that can't be submitted, by block_id."""
    found: dict[str, str] = {}
    for each in elements(blocks):
        if each.block.get("type") != "input" or each.kind not in HOLDS:
            continue
        value = values[each.block_id][each.action_id][HOLDS[each.kind]]
        sentence = _missing(each) if value in (None, "", []) else _wrong(each, value)
        if sentence:
            found[each.block_id] = sentence
    return found


def _missing(element: Element) -> str:
    return "" if element.block.get("optional") else MISSING


def _wrong(element: Element, value: Any) -> str:
    match element.kind:
        case "plain_text_input":
            return _length(element.content, str(value))
        case "number_input":
            return _number(element.content, str(value))
        case "email_text_input" if "@" not in str(value):
            return "Enter a valid email address."
        case "url_text_input" if "://" not in str(value):
            return "Enter a valid URL."
        case _:
            return ""


def _length(content: Json, value: str) -> str:
    least, most = content.get("min_length", 0), content.get("max_length", 3_000)
    if len(value) < least:
        return f"Must be at least {least} characters."
    if len(value) > most:
        return f"Must be at most {most} characters."
    return ""


def _number(content: Json, value: str) -> str:
    try:
        number = float(value)
    except ValueError:
        return "Enter a number."
    if not content.get("is_decimal_allowed") and not number.is_integer():
        return "Enter a whole number."
    least, most = content.get("min_value"), content.get("max_value")
    if (least is not None and number < float(least)) or (most is not None and number > float(most)):
        return f"Enter a number from {least} to {most}."
    return ""
