"""Markdown → Slack's rich text, which modals can show and in which nothing is markup. Pure.

A table has no form in it: each of its rows becomes an item of a list, which a phone has room for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from bot.replies.blocks import Block

__all__ = ["preformatted", "rich_text"]

_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}
_PIECE = 2_900  # characters of one text

type _Style = Mapping[str, bool]

_PLAIN: _Style = {}


def rich_text(markdown: str) -> list[Block]:
    """Return the elements of a `rich_text` block."""
    return list(_blocks(SyntaxTreeNode(_PARSER.parse(markdown)).children, 0))


def preformatted(text: str) -> list[Block]:
    """Return a text as it stands, in the elements of a `rich_text` block."""
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    return [_element("preformatted", [{"type": "text", "text": each}]) for each in pieces]


def _blocks(nodes: Iterable[SyntaxTreeNode], indent: int) -> Iterator[Block]:
    for node in nodes:
        match node.type:
            case "heading":
                yield from _section(_inline(node, {"bold": True}))
            case "paragraph":
                yield from _section([*_inline(node), *_text("\n", _PLAIN)])
            case "bullet_list" | "ordered_list":
                yield from _list(node, indent)
            case "fence" | "code_block":
                yield from preformatted(node.content.rstrip("\n"))
            case "blockquote":
                yield from _quote(node, indent)
            case "table":
                yield from _table(node)
            case _:
                yield from _blocks(node.children, indent)


def _section(content: list[Block]) -> Iterator[Block]:
    if content:
        yield _element("section", content)


def _list(node: SyntaxTreeNode, indent: int) -> Iterator[Block]:
    """Give the list; what stands inside an item beside its words interrupts it, numbers go on."""
    ordered = node.type == "ordered_list"
    number = int(node.attrs.get("start", 1)) - 1
    items: list[Block] = []

    def written() -> Iterator[Block]:
        if items:
            more = {"offset": number - len(items)} if ordered else {}
            style = "ordered" if ordered else "bullet"
            yield _element("list", list(items), style=style, indent=indent, **more)
            items.clear()

    for item in node.children:
        words = item.children[0] if item.children else None
        number += 1
        if words is not None and words.type == "paragraph":
            items += _section(_inline(words))
            rest = item.children[1:]
        else:
            rest = item.children
        for each in rest:
            yield from written()
            if each.type == "paragraph":
                yield from _section(_inline(each))
            else:
                yield from _blocks([each], indent + 1)
    yield from written()


def _quote(node: SyntaxTreeNode, indent: int) -> Iterator[Block]:
    for each in node.children:
        if each.type == "paragraph":
            yield _element("quote", _inline(each))
        else:
            yield from _blocks([each], indent)


def _table(node: SyntaxTreeNode) -> Iterator[Block]:
    rows = [each for each in node.walk() if each.type == "tr"]
    names = [_words(each) for each in rows[0].children]
    items = [_section(_row(names, each)) for each in rows[1:]]
    yield _element("list", [each for item in items for each in item], style="bullet", indent=0)


def _row(names: Sequence[str], row: SyntaxTreeNode) -> list[Block]:
    """Return a row's cells, each but the first behind the name of its column."""
    first, *others = row.children
    found = _inline(first, {"bold": True})
    for name, cell in zip(names[1:], others, strict=False):
        content = _inline(cell)
        if content:
            found += [*_text(f" · {name}: " if name else " · ", _PLAIN), *content]
    return found


def _inline(node: SyntaxTreeNode, style: _Style = _PLAIN) -> list[Block]:
    return [found for child in node.children for found in _spans(child, style)]


def _spans(node: SyntaxTreeNode, style: _Style) -> list[Block]:
    match node.type:
        case "code_inline":
            return _text(node.content, {**style, "code": True})
        case "softbreak":
            return _text(" ", style)
        case "hardbreak":
            return _text("\n", style)
        case "link":
            url = str(node.attrs.get("href", ""))
            words = _words(node)
            if words and url.startswith(("https://", "http://")):
                return [{"type": "link", "url": url, "text": words, **_styled(style)}]
        case "text" | "image":
            return _text(node.content, style)
        case _:
            pass
    more = {_STYLES[node.type]: True} if node.type in _STYLES else {}
    return _inline(node, {**style, **more})


def _text(text: str, style: _Style) -> list[Block]:
    return [{"type": "text", "text": text, **_styled(style)}] if text else []


def _styled(style: _Style) -> Block:
    return {"style": dict(style)} if style else {}


def _words(node: SyntaxTreeNode) -> str:
    return "".join(each.get("text", "") for each in _inline(node))


def _element(kind: str, elements: list[Block], **more: str | int) -> Block:
    return {"type": f"rich_text_{kind}", "elements": elements, **more}
