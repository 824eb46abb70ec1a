"""What is wrong with a payload, found piece by piece: (JSON pointer, Slack's words)."""

from typing import Any, cast

from bot.playground.errors import ApiError
from bot.playground.wire import Json

type Problem = tuple[str, str]

ID_LENGTH = 255


def refuse(code: str, problems: list[Problem]) -> None:
    """Raise Slack's error when there are problems.

    Raises:
        ApiError: `code`, with each problem in `errors` and in `response_metadata`.
    """
    if not problems:
        return
    said = [f"{words} [json-pointer:{pointer}]" for pointer, words in problems]
    messages = [f"[ERROR] {each}" for each in said]
    raise ApiError(code, {"errors": said, "response_metadata": {"messages": messages}})


def missing(pointer: str, field: str) -> list[Problem]:
    """The problem of a field that isn't there."""
    return [(pointer, f"missing required field: {field}")]


def too_long(pointer: str, value: Any, most: int) -> list[Problem]:
    """The problem of a string beyond its limit, or of what is no string."""
    if not isinstance(value, str):
        return [(pointer, "must be a string")]
    if len(value) > most:
        return [(pointer, f"must be less than {most + 1} characters")]
    return []


def too_many(pointer: str, items: Any, most: int, least: int = 1) -> list[Problem]:
    """The problem of a list with too few or too many items, or of what is no list of objects."""
    if not isinstance(items, list) or len(cast("list[Any]", items)) < least:
        return [(pointer, f"no fewer than {least} items allowed")]
    listed = cast("list[Any]", items)
    if not all(isinstance(each, dict) for each in listed):
        return [(pointer, "must be objects")]
    if len(listed) > most:
        return [(pointer, f"no more than {most} items allowed")]
    return []


def text_object(
    pointer: str, text: Any, most: int, *, plain: bool = False, required: bool = True
) -> list[Problem]:
    """The problems of a text object; a `plain` one may be no mrkdwn."""
    if text is None and not required:
        return []
    if not isinstance(text, dict) or not isinstance(text.get("text"), str):
        return missing(pointer, "text")
    members = cast("Json", text)
    if members.get("type") not in ({"plain_text"} if plain else {"plain_text", "mrkdwn"}):
        return [(f"{pointer}/type", f"unsupported type: {members.get('type')}")]
    if not members["text"]:
        return [(f"{pointer}/text", "must be more than 0 characters")]
    return too_long(f"{pointer}/text", members["text"], most)


def ids(pointer: str, holder: Json, *names: str) -> list[Problem]:
    """The problems of ids: strings of at most 255 characters."""
    return [
        problem
        for name in names
        for problem in too_long(f"{pointer}/{name}", holder.get(name, ""), ID_LENGTH)
    ]
