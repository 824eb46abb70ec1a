"""A conversation as the body of a chat completion. Pure."""

from collections.abc import Sequence
from typing import Any

from bot.model import Assistant, ChatMessage, System, ToolCall, ToolResult, ToolSpec, User
from bot.model_dialect import Dialect

__all__ = ["request", "sendable"]


def request(  # noqa: PLR0913  # the fields of a request
    dialect: Dialect,
    model: str,
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolSpec],
    *,
    max_tokens: int,
    temperature: float,
) -> dict[str, Any]:
    """Return the body of a request.

    Where the server takes no tools, calls made before and what they gave are told as text.
    """
    say = _as_message if dialect.tools else _as_text
    body: dict[str, Any] = {
        "model": model,
        "messages": [say(message) for message in messages],
        dialect.max_tokens: max_tokens,
    }
    if dialect.temperature:
        body["temperature"] = temperature
    if dialect.tools and tools:
        body["tools"] = [_as_tool(tool) for tool in tools]
    if dialect.stream:
        body["stream"] = True
        if dialect.stream_options:
            body["stream_options"] = {"include_usage": True}
    return body


def sendable(text: str) -> str:
    """Return a text that JSON and the database can carry: no NUL, no half of a character."""
    whole = text.replace("\0", "").encode("utf-16", "surrogatepass")
    return whole.decode("utf-16", "replace")


def _as_message(message: ChatMessage) -> dict[str, Any]:
    match message:
        case System(text):
            return {"role": "system", "content": sendable(text)}
        case User(text):
            return {"role": "user", "content": sendable(text)}
        case Assistant(text, calls):
            said: dict[str, Any] = {"role": "assistant", "content": sendable(text)}
            if calls:
                said["tool_calls"] = [_as_call(call) for call in calls]
            return said
        case ToolResult(call_id, _, text):
            return {"role": "tool", "tool_call_id": call_id, "content": sendable(text)}


def _as_text(message: ChatMessage) -> dict[str, Any]:
    match message:
        case Assistant(text, calls) if calls:
            made = [f"(I called {call.name} with {call.arguments}.)" for call in calls]
            return _as_message(Assistant("\n".join([text, *made]).strip()))
        case ToolResult(_, name, text):
            return _as_message(User(f"What {name} gave:\n{text}"))
        case _:
            return _as_message(message)


def _as_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": sendable(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _as_tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        },
    }
