"""Arguments of a Web API call: query, JSON and form merged, as Slack's clients mix them."""

import json
from typing import Any, cast

from aiohttp import web

from bot.playground.errors import ApiError
from bot.playground.wire import Json

NESTED = frozenset({"blocks", "attachments", "view", "metadata", "files", "chunks"})
"""Arguments that arrive as JSON text when they are not sent in a JSON body."""


class Arguments:
    """Typed access to the merged arguments."""

    def __init__(self, values: Json) -> None:
        self.values: Json = values

    @classmethod
    async def read(cls, request: web.Request) -> "Arguments":
        """Merge query, then body.

        Raises:
            ApiError: `invalid_json`, or `invalid_blocks_format` and the like for nested JSON.
        """
        values: Json = dict(request.query)
        if request.content_type == "application/json":
            body = await request.text()
            try:
                decoded = json.loads(body or "{}")
            except ValueError as problem:
                raise ApiError("invalid_json") from problem
            if not isinstance(decoded, dict):
                raise ApiError("json_not_object")
            values |= cast("Json", decoded)
        elif request.method == "POST":
            values |= dict(await request.post())
        for name in NESTED & values.keys():
            if isinstance(values[name], str):
                values[name] = _decode(name, values[name])
        return cls(values)

    def has(self, name: str) -> bool:
        """Whether the argument was given."""
        return self.values.get(name) is not None

    def text(self, name: str, default: str = "") -> str:
        """A string."""
        value = self.values.get(name)
        return default if value is None else str(value)

    def required(self, name: str) -> str:
        """A string that must be there; else `invalid_arguments`."""
        value = self.text(name)
        if not value:
            message = f"[ERROR] missing required field: {name}"
            raise ApiError("invalid_arguments", {"response_metadata": {"messages": [message]}})
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean: true, "true" or "1"."""
        value = self.values.get(name)
        return default if value is None else str(value).lower() in {"true", "1"}

    def integer(self, name: str, default: int) -> int:
        """A whole number; else `invalid_arguments`."""
        try:
            return int(self.text(name) or default)
        except ValueError as problem:
            raise ApiError("invalid_arguments") from problem

    def items(self, name: str) -> list[Json]:
        """A list of objects; else `invalid_blocks_format` and the like."""
        value = self.values.get(name) or []
        if not isinstance(value, list) or not all(
            isinstance(each, dict) for each in cast("list[Any]", value)
        ):
            raise ApiError(f"invalid_{name}_format")
        return cast("list[Json]", value)

    def member(self, name: str) -> Json | None:
        """An object, or None when it is not there."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise ApiError("invalid_arguments")
        return cast("Json", value)


def _decode(name: str, text: str) -> Any:
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError as problem:
        raise ApiError(f"invalid_{name}_format") from problem
