"""Finding tools: the modules of this package, and what installed packages bring.

A tool of another package that can't be used is left out with a sentence; it never ends the start.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import metadata
from typing import Any, Final, cast

from pydantic import BaseModel

from bot.untrusted import one_line

__all__ = ["GROUP", "Unusable", "described", "installed", "own", "usable"]

GROUP: Final = "footnote.tools"
"""The entry point under which a package names its tools."""

_PACKAGE: Final = "bot.tools"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what chat servers take
_LONGEST_DESCRIPTION: Final = 1_000


class Unusable(Exception):
    """A tool can't be used; the message says what it lacks."""


def own() -> Iterator[Any]:
    """Give one of each tool in the modules of this package, by the module's name."""
    for module in pkgutil.iter_modules(importlib.import_module(_PACKAGE).__path__):
        room = importlib.import_module(f"{_PACKAGE}.{module.name}")
        for each in vars(room).values():
            if inspect.isclass(each) and each.__module__ == room.__name__ and _looks_like_one(each):
                yield each()


def _looks_like_one(each: type) -> bool:
    """Tell tools from their arguments and from the Protocol, whose attributes are properties."""
    return isinstance(getattr(each, "name", None), str) and hasattr(each, "arguments")


def installed() -> Iterator[tuple[str, Any]]:
    """Give the entry points of installed packages by name, with the tool or why there is none."""
    points = metadata.entry_points(group=GROUP)
    for point in sorted(points, key=lambda each: (each.name, each.value)):
        label = f"{point.name} of {point.dist.name if point.dist else point.value}"
        try:
            found = point.load()
            yield label, found() if inspect.isclass(found) else found
        except (Exception, SystemExit) as error:  # noqa: BLE001  # it is anybody's code
            yield label, Unusable(f"it can't be loaded ({type(error).__name__})")


def usable(tool: Any) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments, once it has all that a tool needs.

    Raises:
        Unusable: it lacks something.
    """
    name, description = getattr(tool, "name", None), getattr(tool, "description", None)
    arguments = getattr(tool, "arguments", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Unusable("its name has to be 1 to 64 letters, digits, _ or -")
    if not isinstance(description, str) or not 0 < len(description) <= _LONGEST_DESCRIPTION:
        raise Unusable(f"its description has to be text of up to {_LONGEST_DESCRIPTION} characters")
    if not isinstance(getattr(tool, "citable", None), bool):
        raise Unusable("it doesn't say whether it is citable")
    if not inspect.isclass(arguments) or not issubclass(arguments, BaseModel):
        raise Unusable("its arguments are no pydantic model")
    if not inspect.iscoroutinefunction(getattr(tool, "run", None)):
        raise Unusable("its run is no coroutine function")
    try:
        return _schema(arguments)
    except Exception as error:
        raise Unusable(f"its arguments have no JSON schema ({type(error).__name__})") from error


def _schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """Return a schema without the titles, which repeat the names at the cost of tokens."""
    return cast("dict[str, Any]", _untitled(arguments.model_json_schema(), names=False))


def _untitled(node: object, *, names: bool) -> object:
    """Leave out titles; in an object of `names`, such as properties, "title" is one of them."""
    if isinstance(node, list):
        return [_untitled(each, names=False) for each in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    return {
        key: _untitled(value, names=key in {"properties", "$defs"} and not names)
        for key, value in cast("dict[str, object]", node).items()
        if names or key != "title"
    }


def described(label: str, reason: object) -> str:
    """Return the sentence about a tool that was left out."""
    return f"The tool {one_line(label)} is left out: {one_line(str(reason))}."
