"""What stands below a message's blocks: attachments of alerts, previews, files."""

from bot.playground.elements import objects
from bot.playground.render import mrkdwn
from bot.playground.render.nodes import Node, element, link
from bot.playground.wire import Json
from bot.playground.workspace import Workspace

KILOBYTE = 1024


def attachment(content: Json, workspace: Workspace) -> Node:
    """An attachment of the old kind: pretext, author, title, text, fields, footer."""
    parts: list[Node] = []
    for name in ("pretext", "author_name"):
        if content.get(name):
            parts += mrkdwn.render(str(content[name]), workspace)
    if content.get("title"):
        title = mrkdwn.inline(str(content["title"]), workspace)
        address = str(content.get("title_link") or "")
        parts.append(element("p", element("strong", link(address, *title))))
    if content.get("text") or content.get("fallback"):
        parts += mrkdwn.render(str(content.get("text") or content["fallback"]), workspace)
    fields = [
        element("div", element("strong", str(each.get("title", ""))), element("br"), *value)
        for each in objects(content.get("fields"))
        for value in [mrkdwn.inline(str(each.get("value", "")), workspace)]
    ]
    if fields:
        parts.append(element("div", *fields, kind="fields"))
    if content.get("footer"):
        parts.append(element("div", str(content["footer"]), kind="context"))
    return element("div", *parts, kind="attachment")


def file(content: Json) -> Node:
    """A file, which the page can fetch; an external one is a link."""
    name = str(content.get("title") or content.get("name"))
    if content.get("is_external"):
        return element("p", link(str(content.get("url_private")), f"📎 {name}"))
    return {
        "tag": "file",
        "id": str(content.get("id")),
        "name": str(content.get("name")),
        "children": [f"📎 {name} · {_size(int(content.get('size') or 0))}"],
    }


def _size(count: int) -> str:
    if count < KILOBYTE:
        return f"{count} bytes"
    kilobytes = count / KILOBYTE
    return f"{kilobytes:.0f} KB" if kilobytes < KILOBYTE else f"{kilobytes / KILOBYTE:.1f} MB"
