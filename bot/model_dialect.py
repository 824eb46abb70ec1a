"""What a chat server's refusal means: leave something out, say less, or nothing to be done. Pure.

Servers speak the same language with gaps: some refuse a parameter by its name. What one was seen
to refuse is its `Dialect`; the next request does without.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from retrieval.endpoint import Complaint

__all__ = ["Dialect", "overflows"]

_LACKS: Final = (
    r"(un(supported|known|recogni[sz]ed|expected)|not (be )?(supported|permitted|allowed|enabled)"
    r"|(doesn't|does not|don't|do not) support|requires?|invalid parameter)"
)


def _refusal(names: str) -> re.Pattern[str]:
    return re.compile(
        rf"{_LACKS}.*\b({names})\b|\b({names})\b.*{_LACKS}", re.IGNORECASE | re.DOTALL
    )


_STREAM_OPTIONS: Final = re.compile(r"stream_options|include_usage", re.IGNORECASE)
_STREAM: Final = _refusal("stream|streaming")
_TEMPERATURE: Final = _refusal("temperature")
_MAX_TOKENS: Final = re.compile(r"max_completion_tokens", re.IGNORECASE)
# Not what is wrong with a tool's schema or with the order of messages: that is ours to mend.
_TOOLS: Final = _refusal("tools?|tool[_ ]choice|tool[_ -]call(s|ing)?|function[_ ]calling")
_OURS: Final = re.compile(
    r"schema|role|must be (a response|followed)|tool_call_id|tool_calls\[|messages", re.IGNORECASE
)

# The codes and types are those of OpenAI and llama.cpp. Most have only words: OpenAI and vLLM
# "maximum context length is", vLLM "longer than the maximum model length", "too long to fit into
# the model", llama.cpp "exceeds the available context size", Ollama "exceeds the context length",
# LM Studio "when context the overflows", "Reached context length of", Anthropic "prompt is too
# long", Gemini "input token count (…) exceeds the maximum".
_OVERFLOW_NAMES: Final = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
)
_OVERFLOW: Final = re.compile(
    r"(max(imum)?|exceeds?|exceeded|reached|available|larger than|longer than|fit in) .{0,40}"
    r"(context|model) ?(length|size|window)"
    r"|context .{0,20}(overflow|exceeded|too (small|long))|context length of only"
    r"|(prompt|input).{0,40} too (long|large)|request( entity)? too large"
    r"|(token count|number of (input )?tokens).{0,40} exceed",
    re.IGNORECASE | re.DOTALL,
)
_NO_OVERFLOW: Final = frozenset({401, 403, 404, 405, 429})
_TOO_LARGE: Final = 413


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes. Everything, until it refused something."""

    stream: bool = True
    stream_options: bool = True
    tools: bool = True
    temperature: bool = True
    max_tokens: str = "max_tokens"

    def without(self, body: Mapping[str, Any], words: str) -> "Dialect | None":
        """Return the dialect that a refusal in these words asks for.

        None when it names nothing that was sent and can be left out.
        """
        if "stream_options" in body and _STREAM_OPTIONS.search(words):
            return replace(self, stream_options=False)
        if "max_tokens" in body and _MAX_TOKENS.search(words):
            return replace(self, max_tokens="max_completion_tokens")
        if "temperature" in body and _TEMPERATURE.search(words):
            return replace(self, temperature=False)
        if "tools" in body and _TOOLS.search(words) and not _OURS.search(words):
            return replace(self, tools=False)
        if body.get("stream") and _STREAM.search(words):
            return replace(self, stream=False)
        return None


def overflows(complaint: Complaint) -> bool:
    """Tell whether a refusal means that the conversation is too long for the model."""
    if complaint.status is None or complaint.status in _NO_OVERFLOW:
        return False
    known = not _OVERFLOW_NAMES.isdisjoint(complaint.names)
    return known or complaint.status == _TOO_LARGE or bool(_OVERFLOW.search(complaint.words))
