"""The answer of a chat completion, gathered from the pieces of a stream or taken whole. Pure.

Servers differ in nearly every field; what is missing is made or estimated, and what can't be
understood is left out. Arguments of calls stay as the model wrote them: who runs the tool judges.
"""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from bot.model import Finish, ToolCall, Usage
from bot.model_request import sendable
from bot.reasoning import without_reasoning

__all__ = ["Gathered"]

_FINISHES: Final[Mapping[str, Finish]] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
}
_BYTES_A_TOKEN: Final = 4
# A model that makes more calls at once has lost its way.
_MOST_CALLS: Final = 64


@dataclass
class _Call:
    """A call as far as it was told."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Gathered:
    """What was read so far. `pieces` counts those that held text, reasoning or a call."""

    def __init__(self) -> None:
        self.pieces: int = 0
        self.model: str | None = None
        self._text: list[str] = []
        self._thought: int = 0  # bytes of reasoning
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._finish: str | None = None
        self._usage: Mapping[str, Any] | None = None
        self._ended: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the server said that this was all, in one of the ways there are."""
        return self._finish is not None or self._ended

    @property
    def is_empty(self) -> bool:
        """Whether nothing of an answer came."""
        return not self.pieces and not self.is_whole

    def add(self, answer: Mapping[str, Any]) -> bool:
        """Take a chunk of a stream, or a whole answer; tells whether it held something said."""
        if isinstance(model := answer.get("model"), str) and model:
            self.model = model
        if isinstance(usage := answer.get("usage"), dict):
            self._usage = usage
            # Some count along with every piece; alone it comes at the end.
            self._ended = not answer.get("choices")
        choice = _first_choice(answer.get("choices"))
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish
        message = choice.get("delta") or choice.get("message")
        said = self._message(message) if isinstance(message, dict) else False
        self.pieces += said
        return said

    def _message(self, message: Mapping[str, Any]) -> bool:
        text = _text(message.get("content"))
        if text:
            self._text.append(text)
        thought = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
        self._thought += len(thought.encode("utf-8", "replace"))
        calls = list(_calls(message))
        for call in calls:
            self._call(call)
        return bool(text or thought or calls)

    def _call(self, told: Mapping[str, Any]) -> None:
        function = told.get("function")
        function = function if isinstance(function, dict) else {}
        identifier, name = _word(told.get("id")), _word(function.get("name"))
        call = self._belonging(told.get("index"), identifier, name)
        if call is None:
            return
        call.id = call.id or identifier
        if name != call.name:  # some say the name in every piece, some in pieces
            call.name += name
        call.arguments.append(_arguments(function.get("arguments")))

    def _belonging(self, index: Any, identifier: str, name: str) -> _Call | None:
        """Return the call that a piece belongs to, perhaps a new one.

        Some servers number all calls 0, and some don't number them: another id means another
        call. Without number and id, a name does.
        """
        if type(index) is int:
            known = self._by_index.get(index)
        elif identifier:
            known = next((call for call in self._calls if call.id == identifier), None)
        else:
            known = self._calls[-1] if self._calls and not name else None
        other = known is not None and identifier and known.id and identifier != known.id
        if known is not None and not (other and name):
            return known
        if len(self._calls) == _MOST_CALLS:
            return None
        call = _Call()
        self._calls.append(call)
        if type(index) is int:
            self._by_index[index] = call
        return call

    def text(self) -> str:
        """What the model says, without its reasoning."""
        return without_reasoning(sendable("".join(self._text)))

    def calls(self, known: Container[str]) -> tuple[ToolCall, ...]:
        """The calls, each with an id of its own that is none of the `known` ones."""
        made: list[ToolCall] = []
        used: set[str] = set()
        for call in self._calls:
            if not call.name:
                continue
            identifier = sendable(call.id)
            if not identifier or identifier in used or identifier in known:
                identifier = f"call_{uuid4().hex[:16]}"
            used.add(identifier)
            arguments = sendable("".join(call.arguments))
            made.append(ToolCall(identifier, sendable(call.name), arguments))
        return tuple(made)

    def finish(self, *, cut: bool) -> Finish:
        """Why the model stopped; `cut` when it was made to."""
        if cut:
            return "length"
        named = _FINISHES.get(self._finish or "")
        return named or ("tools" if any(call.name for call in self._calls) else "stop")

    def usage(self, prompt: Sequence[Any]) -> Usage:
        """The tokens, estimated from the texts where the server didn't count."""
        told = self._usage or {}
        sent, said = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
        estimated = sent is None or said is None
        if sent is None:
            sent = _tokens(len(json.dumps(prompt, ensure_ascii=False).encode("utf-8", "replace")))
        if said is None:
            texts = [*self._text, *(piece for call in self._calls for piece in call.arguments)]
            length = sum(len(text.encode("utf-8", "replace")) for text in texts)
            said = _tokens(length + self._thought)
        return Usage(sent, said, estimated)


def _first_choice(choices: Any) -> Mapping[str, Any]:
    if not isinstance(choices, list):
        return {}
    usable = (choice for choice in choices if isinstance(choice, dict))
    return next((choice for choice in usable if choice.get("index") in (0, None)), {})


def _calls(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give the calls of a message, also in the form from before there were several."""
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        yield from (call for call in calls if isinstance(call, dict))
    if isinstance(old := message.get("function_call"), dict):
        yield {"index": 0, "function": old}


def _text(content: Any) -> str:
    """Return a text, which may come as a list of parts; parts of reasoning are none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (
        part if isinstance(part, str) else part.get("text")
        for part in content
        if isinstance(part, str)
        or (isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"))
    )
    return "".join(part for part in parts if isinstance(part, str))


def _arguments(given: Any) -> str:
    if given is None:
        return ""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _word(given: Any) -> str:
    return str(given) if isinstance(given, (str, int)) else ""


def _count(given: Any) -> int | None:
    return given if type(given) is int and given >= 0 else None


def _tokens(length: int) -> int:
    return -(-length // _BYTES_A_TOKEN)
