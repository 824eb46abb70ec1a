"""What a model wrote as arguments, read with patience, or the sentence that says what is wrong.

Pure.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from pydantic import BaseModel, ValidationError

from bot.tools.tool import TryAgain
from bot.untrusted import one_line

__all__ = ["canonical", "read"]

_LONGEST: Final = 20_000  # characters
_MOST_PROBLEMS: Final = 3

_PROBLEMS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "missing": lambda _: "is missing",
    "string_type": lambda _: "has to be text",
    "string_unicode": lambda _: "has to be readable text",
    "string_too_short": lambda limit: (
        "is empty" if limit["min_length"] == 1 else f"needs {limit['min_length']} characters"
    ),
    "string_too_long": lambda limit: f"may have {limit['max_length']} characters at most",
    "int_type": lambda _: "has to be a whole number",
    "int_parsing": lambda _: "has to be a whole number",
    "int_from_float": lambda _: "has to be a whole number",
    "int_parsing_size": lambda _: "is too large",
    "float_type": lambda _: "has to be a number",
    "float_parsing": lambda _: "has to be a number",
    "bool_type": lambda _: "has to be true or false",
    "bool_parsing": lambda _: "has to be true or false",
    "list_type": lambda _: "has to be a list",
    "literal_error": lambda limit: f"has to be {limit['expected']}",
    "enum": lambda limit: f"has to be {limit['expected']}",
    "greater_than": lambda limit: f"has to be greater than {limit['gt']}",
    "greater_than_equal": lambda limit: f"has to be at least {limit['ge']}",
    "less_than": lambda limit: f"has to be less than {limit['lt']}",
    "less_than_equal": lambda limit: f"has to be at most {limit['le']}",
    "value_error": lambda limit: str(limit["error"]),
    "extra_forbidden": lambda _: "is no argument of it",
}


def read[Taken: BaseModel](name: str, arguments: type[Taken], raw: str) -> Taken:
    """Return a tool's arguments.

    Raises:
        TryAgain: they are no JSON object, or not what the tool takes.
    """
    try:
        return arguments.model_validate(_object(raw))
    except ValidationError as error:
        problems = [
            _problem(each) for each in error.errors(include_input=False, include_url=False)
        ][:_MOST_PROBLEMS]
        raise TryAgain(
            f"{name} can't use these arguments: {'; '.join(problems)}. It takes"
            f" {_taken(arguments)}."
        ) from None
    except (ValueError, RecursionError):
        raise TryAgain(
            f"The arguments of {name} have to be one JSON object with {_taken(arguments)}."
        ) from None


def canonical(arguments: type[BaseModel] | None, raw: str) -> str:
    """Return arguments in one form: what means the same to the tool reads the same."""
    try:
        given = _object(raw)
    except (ValueError, RecursionError):
        return raw.strip()
    if arguments is not None:
        try:
            taken = arguments.model_validate(given)
        except ValidationError:
            pass
        else:
            given = taken.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(_squeezed(given), sort_keys=True, default=str)


def _object(raw: str) -> dict[str, Any]:
    """Read an object; nothing at all is an empty one. Some models write it into a JSON string.

    Raises:
        ValueError: it is none, or too long.
        RecursionError: it is nested too deeply.
    """
    if len(raw) > _LONGEST:
        raise ValueError
    value: object = json.loads(raw) if raw.strip() else {}
    if isinstance(value, str):
        value = json.loads(value) if value.strip() else {}
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError  # noqa: TRY004  # the caller tells one wrong form from none
    return cast("dict[str, Any]", value)


def _squeezed(value: object) -> object:
    """Return a value whose texts have single spaces."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, dict):
        return {k: _squeezed(v) for k, v in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_squeezed(each) for each in cast("list[object]", value)]
    return value


def _problem(error: Any) -> str:
    where = one_line(".".join(map(str, error["loc"])) or "the whole")
    say = _PROBLEMS.get(error["type"])
    said = say(error.get("ctx") or {}) if say else f"isn't right ({error['msg']})"
    return f"`{where}` {one_line(said)}"


def _taken(arguments: type[BaseModel]) -> str:
    named = [
        f"`{name}`" if field.is_required() else f"`{name}` (may be left out)"
        for name, field in arguments.model_fields.items()
    ]
    return ", ".join(named) or "nothing"
