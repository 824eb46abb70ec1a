"""The rich_text block → nodes."""

from typing import Any, cast

from bot.playground.elements import objects
from bot.playground.render import mrkdwn
from bot.playground.render.nodes import Node, element, link
from bot.playground.wire import Json
from bot.playground.workspace import Workspace

STYLES = {"bold": "strong", "italic": "em", "strike": "s", "code": "code"}


def render(block: Json, workspace: Workspace) -> list[Node]:
    """Sections, lists, quotes and preformatted text."""
    return [_part(each, workspace) for each in objects(block.get("elements"))]


def _part(part: Json, workspace: Workspace) -> Node:
    inside = [_inline(each, workspace) for each in objects(part.get("elements"))]
    match part.get("type"):
        case "rich_text_list":
            return _list(part, [_part(each, workspace) for each in objects(part.get("elements"))])
        case "rich_text_preformatted":
            return element("pre", element("code", *inside))
        case "rich_text_quote":
            return element("blockquote", *inside)
        case _:
            return element("p", *inside)


def _list(part: Json, items: list[Node]) -> Node:
    """A list; one that was interrupted goes on counting."""
    tag = "ol" if part.get("style") == "ordered" else "ul"
    node = element(tag, *(element("li", each) for each in items))
    node["start"] = int(part.get("offset") or 0) + 1
    node["kind"] = "indented" if part.get("indent") else ""
    return node


def _inline(item: Json, workspace: Workspace) -> Node:
    node = _bare(item, workspace)
    style: Any = item.get("style")
    if isinstance(style, dict):
        for name, tag in STYLES.items():
            if cast("Json", style).get(name):
                node = element(tag, node)
    return node


def _bare(item: Json, workspace: Workspace) -> Node:
    match item.get("type"):
        case "link":
            url = str(item.get("url", ""))
            return link(url, str(item.get("text") or url))
        case "emoji":
            return mrkdwn.emoji(f":{item.get('name')}:")
        case "user":
            user = workspace.users.get(str(item.get("user_id")))
            return element("span", f"@{user.real_name if user else 'somebody'}", kind="mention")
        case "channel":
            channel = workspace.channels.get(str(item.get("channel_id")))
            return element("span", f"#{channel.name if channel else 'channel'}", kind="mention")
        case "broadcast":
            return element("span", f"@{item.get('range')}", kind="ping")
        case _:
            return str(item.get("text") or item.get("fallback") or "")
