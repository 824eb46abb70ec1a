"""Block Kit → nodes. Blocks the page does not know are shown as labelled JSON."""

import json
from collections.abc import Callable
from typing import Any, cast

from bot.playground.messages import Message
from bot.playground.render import markdown, mrkdwn
from bot.playground.render.nodes import Node, element
from bot.playground.wire import Json
from bot.playground.workspace import Workspace


def render_message(message: Message, workspace: Workspace) -> list[Node]:
    """The message's blocks, or its text when it has none or a person typed it."""
    if message.bot_id is None or not message.blocks:
        nodes = mrkdwn.render(message.text, workspace)
    else:
        nodes = [render_block(block, workspace) for block in message.blocks]
    return nodes + [_unknown("attachment", each) for each in message.attachments]


def render_block(block: Json, workspace: Workspace) -> Node:
    """One block."""
    kind = str(block.get("type", ""))
    renderer = RENDERERS.get(kind)
    return _unknown(kind, block) if renderer is None else renderer(block, workspace)


def _markdown(block: Json, _workspace: Workspace) -> Node:
    return element("div", *markdown.render(str(block.get("text", ""))), kind="markdown")


def _context(block: Json, workspace: Workspace) -> Node:
    parts = [element("span", *_text(each, workspace)) for each in _list(block, "elements")]
    return element("div", *parts, kind="context")


def _divider(_block: Json, _workspace: Workspace) -> Node:
    return element("hr")


def _header(block: Json, workspace: Workspace) -> Node:
    return element("h3", *_text(block.get("text"), workspace), kind="header")


def _actions(block: Json, workspace: Workspace) -> Node:
    parts = [
        node for each in _list(block, "elements") for node in _interactive(each, block, workspace)
    ]
    return element("div", *parts, kind="actions")


def _section(block: Json, workspace: Workspace) -> Node:
    parts: list[Node] = []
    if block.get("text"):
        parts.append(element("div", *_text(block["text"], workspace)))
    fields = [element("div", *_text(each, workspace)) for each in _list(block, "fields")]
    if fields:
        parts.append(element("div", *fields, kind="fields"))
    accessory = block.get("accessory")
    if isinstance(accessory, dict):
        parts += _interactive(cast("Json", accessory), block, workspace)
    return element("div", *parts, kind="section")


def _text(value: Any, workspace: Workspace) -> list[Node]:
    """A text object: mrkdwn is formatted, plain text is not (but for emoji names)."""
    if not isinstance(value, dict):
        return []
    members = cast("Json", value)
    if members.get("type") == "image":
        return [str(members.get("alt_text", "image"))]
    text = str(members.get("text", ""))
    if members.get("type") == "mrkdwn":
        return mrkdwn.render(text, workspace)
    return [mrkdwn.emoji(text)]


def _interactive(item: Json, block: Json, workspace: Workspace) -> list[Node]:
    """What can be clicked of one element, each with what a click must name."""
    kind = item.get("type")
    if kind == "feedback_buttons":
        choices = [item.get("positive_button"), item.get("negative_button")]
    elif kind in {"button", "icon_button", "workflow_button"}:
        choices = [item]
    else:
        return [_unknown(str(kind), item)]
    nodes: list[Node] = []
    for choice in choices:
        if not isinstance(choice, dict):
            continue
        button: Json = {
            "tag": "button",
            "children": _text(choice.get("text"), workspace) or [str(item.get("icon", "button"))],
            "action_id": item.get("action_id", ""),
            "block_id": block.get("block_id", ""),
            "value": choice.get("value"),
        }
        if choice.get("style") in {"primary", "danger"}:
            button["kind"] = choice["style"]
        if choice.get("url"):
            button["url"] = choice["url"]
        nodes.append(button)
    return nodes


def _table(block: Json, _workspace: Workspace) -> Node:
    rows: list[Node] = []
    for row in cast("list[Any]", block.get("rows") or []):
        cells = cast("list[Any]", row) if isinstance(row, list) else [row]
        rows.append(element("tr", *(element("td", _cell(cell)) for cell in cells)))
    return element("table", element("tbody", *rows))


def _cell(cell: Any) -> str:
    """The words of a table cell, whatever it is made of."""
    if isinstance(cell, list):
        return "".join(_cell(each) for each in cast("list[Any]", cell))
    if not isinstance(cell, dict):
        return ""
    members = cast("Json", cell)
    if isinstance(members.get("text"), str):
        return str(members["text"])
    return _cell(members.get("elements") or [])


def _list(block: Json, name: str) -> list[Json]:
    value = block.get(name)
    if not isinstance(value, list):
        return []
    return [cast("Json", each) for each in cast("list[Any]", value) if isinstance(each, dict)]


def _unknown(kind: str, content: Json) -> Node:
    text = json.dumps(content, indent=2, ensure_ascii=False)
    return element(
        "div", element("span", kind or "block", kind="label"), element("pre", text), kind="unknown"
    )


RENDERERS: dict[str, Callable[[Json, Workspace], Node]] = {
    "markdown": _markdown,
    "section": _section,
    "context": _context,
    "divider": _divider,
    "header": _header,
    "actions": _actions,
    "context_actions": _actions,
    "table": _table,
}
