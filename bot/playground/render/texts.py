"""Text objects and what only shows text."""

import json
from typing import Any, cast

from bot.playground.render import mrkdwn
from bot.playground.render.nodes import Node, element
from bot.playground.wire import Json
from bot.playground.workspace import Workspace


def text(value: Any, workspace: Workspace) -> list[Node]:
    """A text object: mrkdwn is formatted, plain text is not (but for emoji names)."""
    if not isinstance(value, dict):
        return []
    members = cast("Json", value)
    if members.get("type") == "image":
        return [str(members.get("alt_text", "image"))]
    words = str(members.get("text", ""))
    if members.get("type") == "mrkdwn":
        return mrkdwn.render(words, workspace)
    return [mrkdwn.emoji(words)]


def words(value: Any) -> str:
    """A text object where there is no room for formatting."""
    return mrkdwn.emoji(str(value.get("text", ""))) if isinstance(value, dict) else ""


def unknown(kind: str, content: Json) -> Node:
    """What the page can't show, as JSON with its name."""
    shown = json.dumps(content, indent=2, ensure_ascii=False)
    return element(
        "div", element("span", kind or "block", kind="label"), element("pre", shown), kind="unknown"
    )
