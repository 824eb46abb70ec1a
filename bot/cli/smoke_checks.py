"""What `footnote smoke` expects of replies."""

import re
from collections.abc import Mapping
from typing import Any, Final

from bot.errors import BotError

__all__ = [
    "COMMAND",
    "TITLE",
    "SmokeFailed",
    "check_cited",
    "check_filtered",
    "check_ingested",
    "check_no_match",
    "check_not_used",
    "check_noted",
    "check_used",
    "stop_reason",
]

TITLE: Final = "Restart the heron gauge"
"""Of a document that the sample runbooks don't have."""

COMMAND: Final = "heronctl restart --wait 30"
"""What it says to run."""

_USED: Final = "Used 1 memory"


class SmokeFailed(BotError):
    """The demo didn't do what a person would expect."""


def check_cited(message: Mapping[str, Any]) -> None:
    """Hold a reply to be an answer whose every footnote has its source below."""
    blocks: list[Mapping[str, Any]] = message["blocks"]
    answer = next((each["text"] for each in blocks if each["type"] == "markdown"), "")
    sources = [each["text"]["text"] for each in blocks if each["type"] == "section"]
    prose = re.sub(r"^(`{3,}|~{3,}).*?^\1\s*?$", "", answer, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`\n]*`", "", prose)  # `containers[0]` is no footnote
    markers = {int(number) for number in re.findall(r"\[(\d+)\]", prose)}
    if not markers or stop_reason(message) != "cited":
        raise SmokeFailed("the answer carries no citation")
    for marker in markers:
        if not any(source.startswith(f"*[{marker}]*") for source in sources):
            raise SmokeFailed(f"footnote [{marker}] has no source below")


def check_ingested(message: Mapping[str, Any]) -> None:
    """Hold it to cite the document that has just come in, and to show its command."""
    check_cited(message)
    shown = str(message["blocks"])
    if TITLE not in shown or COMMAND not in shown:
        raise SmokeFailed("the document came in, but the answer doesn't cite it")


def check_filtered(message: Mapping[str, Any]) -> None:
    """Hold it to have searched what the channel's filter leaves."""
    check_cited(message)
    if "service search" not in str(message["blocks"]):
        raise SmokeFailed("the channel's filter was set, but not used")


def check_no_match(message: Mapping[str, Any]) -> None:
    """Hold it to say that nothing was found."""
    if stop_reason(message) != "no_match" or not message["text"].startswith("No match"):
        raise SmokeFailed("the corpus doesn't hold this, but the reply is no NO_MATCH")


def check_noted(message: Mapping[str, Any]) -> None:
    """Hold it to say that something was remembered."""
    if stop_reason(message) != "noted" or "memory 1" not in message["text"]:
        raise SmokeFailed("what was told wasn't noted")


def check_used(message: Mapping[str, Any]) -> None:
    """Hold it to have been made with the memory of whoever asks."""
    check_cited(message)
    if _USED not in str(message["blocks"]):
        raise SmokeFailed("what was told in another thread isn't at work in this one")


def check_not_used(message: Mapping[str, Any]) -> None:
    """Hold it to have been made without any memory."""
    check_cited(message)
    if "memory" in str(message["blocks"]):
        raise SmokeFailed("somebody else's memory is at work")


def stop_reason(message: Mapping[str, Any]) -> str:
    """Return how the turn of a reply ended; empty for what is none."""
    metadata: Mapping[str, Any] = message.get("metadata") or {}
    return str((metadata.get("event_payload") or {}).get("stop_reason") or "")
