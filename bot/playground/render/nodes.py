"""The node: a string, or `{"tag", "children", …}` with tags and attributes from short lists."""

from urllib.parse import urlsplit

from bot.playground.wire import Json

type Node = str | Json

SAFE_SCHEMES = frozenset({"http", "https", "mailto"})


def element(tag: str, *children: Node, kind: str = "") -> Json:
    """An element; `kind` becomes its CSS class."""
    node: Json = {"tag": tag, "children": list(children)}
    if kind:
        node["kind"] = kind
    return node


def link(url: str, *children: Node) -> Node:
    """A link, or only its text when the address is not one to follow."""
    try:
        safe = urlsplit(url).scheme.lower() in SAFE_SCHEMES
    except ValueError:
        safe = False
    if not safe:
        return element("span", *children)
    return {"tag": "a", "href": url, "children": list(children) or [url]}


def text_of(nodes: list[Node]) -> str:
    """The bare text of nodes."""
    return "".join(
        node if isinstance(node, str) else text_of(node.get("children", [])) for node in nodes
    )
