"""Block Kit → nodes. Blocks the page does not know are shown as labelled JSON."""

from collections.abc import Callable
from typing import Any, cast

from bot.playground.elements import Element, objects
from bot.playground.messages import Message
from bot.playground.render import attachments, controls, markdown, mrkdwn, rich_text
from bot.playground.render.nodes import Node, element
from bot.playground.render.scene import Scene
from bot.playground.render.texts import text, unknown, words
from bot.playground.wire import Json

ALIGNMENTS = frozenset({"center", "right"})


def render_message(message: Message, scene: Scene) -> list[Node]:
    """The message's blocks, or its text when it has none or a person typed it; what is attached."""
    if message.bot_id is None or not message.blocks:
        nodes = mrkdwn.render(message.text, scene.workspace)
    else:
        nodes = [render_block(block, scene) for block in message.blocks]
    for each in message.attachments:
        blocks = objects(each.get("blocks"))
        if blocks:
            shown = [render_block(block, scene) for block in blocks]
            nodes.append(element("div", *shown, kind="attachment"))
        else:
            nodes.append(attachments.attachment(each, scene.workspace))
    return nodes + [attachments.file(each) for each in message.files]


def render_block(block: Json, scene: Scene) -> Node:
    """One block."""
    kind = str(block.get("type", ""))
    renderer = RENDERERS.get(kind)
    return unknown(kind, block) if renderer is None else renderer(block, scene)


def _markdown(block: Json, _scene: Scene) -> Node:
    return element("div", *markdown.render(str(block.get("text", ""))), kind="markdown")


def _context(block: Json, scene: Scene) -> Node:
    parts = objects(block.get("elements"))
    shown = [element("span", *text(each, scene.workspace)) for each in parts]
    return element("div", *shown, kind="context")


def _divider(_block: Json, _scene: Scene) -> Node:
    return element("hr")


def _header(block: Json, scene: Scene) -> Node:
    return element("h3", *text(block.get("text"), scene.workspace), kind="header")


def _actions(block: Json, scene: Scene) -> Node:
    elements = [Element(block, each) for each in objects(block.get("elements"))]
    parts = [node for each in elements for node in controls.render(each, scene)]
    return element("div", *parts, kind="actions")


def _section(block: Json, scene: Scene) -> Node:
    parts: list[Node] = []
    if block.get("text"):
        parts.append(element("div", *text(block["text"], scene.workspace)))
    fields = [element("div", *text(each, scene.workspace)) for each in objects(block.get("fields"))]
    if fields:
        parts.append(element("div", *fields, kind="fields"))
    for accessory in objects([block.get("accessory")]):
        if accessory.get("type") == "image":
            parts.append(_image(accessory, scene))
        else:
            inside = controls.render(Element(block, accessory), scene)
            parts.append(element("div", *inside, kind="accessory"))
    return element("div", *parts, kind="section")


def _image(block: Json, _scene: Scene) -> Node:
    url = str(block.get("image_url") or "")
    alternative = words(block.get("title")) or str(block.get("alt_text", ""))
    return controls.picture(url, alternative)


def _file(block: Json, _scene: Scene) -> Node:
    return element("p", f"📎 {block.get('external_id') or 'file'}")


def _rich_text(block: Json, scene: Scene) -> Node:
    return element("div", *rich_text.render(block, scene.workspace), kind="rich_text")


def _input(block: Json, scene: Scene) -> Node:
    return controls.field(block, scene)


def _table(block: Json, scene: Scene) -> Node:
    """The first row is the head, as Slack shows it."""
    columns = cast("list[Any]", block.get("column_settings") or [])
    rows: list[Node] = []
    for number, row in enumerate(cast("list[Any]", block.get("rows") or [])):
        cells: list[Node] = []
        for index, cell in enumerate(objects(row)):
            column = objects(columns[index : index + 1])
            align = str(column[0].get("align")) if column else ""
            kind = align if align in ALIGNMENTS else ""
            cells.append(element("td" if number else "th", *_cell(cell, scene), kind=kind))
        rows.append(element("tr", *cells))
    return element("table", element("thead", *rows[:1]), element("tbody", *rows[1:]))


def _cell(cell: Json, scene: Scene) -> list[Node]:
    if cell.get("type") == "rich_text":
        return rich_text.render(cell, scene.workspace)
    return [str(cell.get("text", ""))]


RENDERERS: dict[str, Callable[[Json, Scene], Node]] = {
    "markdown": _markdown,
    "section": _section,
    "context": _context,
    "divider": _divider,
    "file": _file,
    "header": _header,
    "actions": _actions,
    "context_actions": _actions,
    "image": _image,
    "input": _input,
    "rich_text": _rich_text,
    "table": _table,
}
