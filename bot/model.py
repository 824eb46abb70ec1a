"""The chat model: what is said to it, what it says, and what can go wrong. No network here.

The shapes are those that chat completions with tools have in common; `Model` is anything that
completes a conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

__all__ = [
    "Assistant",
    "ChatMessage",
    "Completion",
    "ContextOverflow",
    "Finish",
    "Model",
    "ModelDown",
    "ModelError",
    "ModelRefused",
    "System",
    "ToolCall",
    "ToolResult",
    "ToolSpec",
    "Usage",
    "User",
]

type Finish = Literal["stop", "tools", "length", "filtered"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model wants made. `arguments` is JSON as the model wrote it: untrusted."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class System:
    """Our instructions."""

    text: str


@dataclass(frozen=True, slots=True)
class User:
    """What a person says, and the data that goes with it."""

    text: str


@dataclass(frozen=True, slots=True)
class Assistant:
    """What the model said before, with the calls it made."""

    text: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave. It follows the message that made the call."""

    call_id: str
    name: str
    text: str


type ChatMessage = System | User | Assistant | ToolResult


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it. `parameters` is a JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `estimated` when the server didn't say."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of the model, its reasoning left out.

    `server` and `model` name who answered; times are in milliseconds, to the first token and to
    the end.
    """

    text: str
    calls: tuple[ToolCall, ...]
    finish: Finish
    usage: Usage
    server: str
    model: str
    milliseconds: float
    first_token_ms: float | None = None


class Model(Protocol):
    """Completes a conversation. Cancelling the call ends the request at the server."""

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] = (),
        *,
        max_tokens: int | None = None,
    ) -> Completion:
        """Return what the model says next: text, calls, or both.

        Raises:
            ContextOverflow: the conversation is longer than the model can read.
            ModelRefused: the server takes no such request, whatever is asked.
            ModelDown: no server answers.
        """
        ...


class ModelError(Exception):
    """No completion; the message is a sentence for whoever runs the bot.

    It may hold a server's words, which may quote what was said: a log gets the HTTP `statuses`.
    """

    def __init__(self, sentence: str = "", statuses: tuple[int, ...] = ()) -> None:
        super().__init__(sentence)
        self.statuses: tuple[int, ...] = statuses


class ModelDown(ModelError):
    """No server answers in time, or with what can be used."""


class ModelRefused(ModelError):
    """A server answers and lets nobody in, or has no such model."""


class ContextOverflow(ModelError):
    """The conversation is longer than the model can read: less of it may do."""
