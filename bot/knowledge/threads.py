"""A thread made into a document: who asked, who responded, without their names. Pure.

The bot's own answers are left out: they quote documents, and would be cited in their place.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from bot.events import strip_mention
from bot.joining import words

__all__ = ["as_markdown", "pieces", "title_of"]

_PERSON = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")
_CALL = re.compile(r"<!(?:subteam\^[A-Z0-9]+(?:\|[^<>]*)?|here|channel|everyone)>")
_TITLE = 80


def as_markdown(messages: Sequence[Mapping[str, Any]], bot_user: str) -> str:
    """Return a thread's messages, oldest first, as Markdown under the roles of their authors."""
    roles = _roles(messages, bot_user)
    parts: list[str] = []
    before: str | None = None
    for message in messages:
        author = _author(message)
        text = _said(message, roles, bot_user)
        if author == bot_user or not text:
            continue
        heading = f"**{roles[author]}:**\n\n" if author != before else ""
        parts.append(f"{heading}{text}")
        before = author
    return "\n\n".join(parts)


def title_of(messages: Sequence[Mapping[str, Any]], bot_user: str) -> str:
    """Return a title to begin with: the first line of the first message."""
    roles = _roles(messages, bot_user)
    text = _said(messages[0], roles, bot_user) if messages else ""
    line = " ".join(text.strip().partition("\n")[0].split())
    return line[:_TITLE].rstrip(" .,:;") or "A thread"


def pieces(text: str, longest: int) -> list[str]:
    """Cut a text at the ends of lines into pieces that joined with newlines are the text again."""
    found: list[str] = []
    for line in text.split("\n"):
        for start in range(0, max(len(line), 1), longest):
            part = line[start : start + longest]
            if start == 0 and found and len(found[-1]) + 1 + len(part) <= longest:
                found[-1] += f"\n{part}"
            else:
                found.append(part)
    return found


def _roles(messages: Sequence[Mapping[str, Any]], bot_user: str) -> dict[str, str]:
    """Return what to call each author: the asker, then the responders in order, then bots."""
    numbers, bots = count(1), count(1)
    roles: dict[str, str] = {}
    for message in messages:
        author = _author(message)
        if author in roles or author == bot_user:
            continue
        if message.get("bot_id"):
            roles[author] = f"Alert bot {next(bots)}"
        elif "Asker" not in roles.values():
            roles[author] = "Asker"
        else:
            roles[author] = f"Responder {next(numbers)}"
    return roles


def _said(message: Mapping[str, Any], roles: Mapping[str, str], bot_user: str) -> str:
    text = strip_mention(_CALL.sub("", words(message)), bot_user)
    return _PERSON.sub(lambda found: f"@{roles.get(found[1], 'somebody')}", text)


def _author(message: Mapping[str, Any]) -> str:
    return str(message.get("user") or message.get("bot_id") or "")
