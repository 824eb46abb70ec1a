"""Standard Markdown (the `markdown` block) → nodes. HTML in it stays text."""

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from bot.playground.render.nodes import Node, element, link

PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "s"}
    | {"blockquote", "hr", "table", "thead", "tbody", "tr", "th", "td"}
)


def render(text: str) -> list[Node]:
    """The Markdown as nodes."""
    return _children(SyntaxTreeNode(PARSER.parse(text)))


def _children(node: SyntaxTreeNode) -> list[Node]:
    return [each for child in node.children for each in _node(child)]


def _node(node: SyntaxTreeNode) -> list[Node]:
    plain = _leaf(node)
    if plain is not None:
        return [plain]
    children = _children(node)
    if node.type == "link":
        return [link(str(node.attrs.get("href", "")), *children)]
    if node.tag in TAGS and not (node.type == "paragraph" and node.hidden):
        return [element(node.tag, *children)]
    return children or ([node.content] if node.type != "inline" else [])


def _leaf(node: SyntaxTreeNode) -> Node | None:
    """The node of what has no formatted children, or None."""
    match node.type:
        case "text":
            return node.content
        case "softbreak" | "hardbreak":
            return element("br")
        case "code_inline":
            return element("code", node.content)
        case "fence" | "code_block":
            return element("pre", element("code", node.content.rstrip("\n")))
        case "image":
            # Shown as a link: the page loads nothing from elsewhere.
            return link(str(node.attrs.get("src", "")), node.content or "image")
        case _:
            return None
