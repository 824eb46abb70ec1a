"""What renderers add to Markdown, to plain Markdown: shortcodes, callouts, HTML. Pure.

Readable text stays, the machinery goes. Code, fenced, indented or in backticks, is never touched,
and neither is what only looks like a tag: `<namespace>` is a word to be replaced.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from markdown_it import MarkdownIt

from retrieval.readers.containers import FENCE, closes_fence, said, unpacked
from retrieval.readers.html import fenced, fragment_to_markdown

__all__ = ["to_plain_markdown"]

_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
_WITHOUT_CLOSING = frozenset({
    "p", "li", "td", "th", "tr", "dt", "dd",
})  # fmt: skip
_VOID = frozenset({
    "area", "base", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
})  # fmt: skip
_PAIRED = frozenset({
    "a", "abbr", "address", "article", "aside", "audio", "b", "bdi", "bdo", "blockquote",
    "button", "canvas", "caption", "center", "cite", "code", "colgroup", "del", "details",
    "dfn", "div", "dl", "em", "fieldset", "figcaption", "figure", "font", "footer", "form",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "i", "iframe", "ins", "kbd", "label",
    "legend", "main", "mark", "menu", "nav", "object", "ol", "optgroup", "option", "output",
    "picture", "pre", "progress", "q", "rp", "rt", "ruby", "s", "samp", "script", "section",
    "select", "small", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg",
    "table", "tbody", "template", "textarea", "tfoot", "thead", "time", "tt", "u", "ul", "var",
    "video",
})  # fmt: skip
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]*)(?P<rest>(?:[\s/][^<>]*)?)>")
_RUN = re.compile(r"`+")
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_LINK = re.compile(
    r"<a\s[^<>]*?href=[\"'](?P<href>https?://[^\"'\s<>()]+)[\"'][^<>]*>(?P<text>[^<>]*)</a>",
    re.IGNORECASE,
)
_CODE = re.compile(r"<(?P<tag>code|kbd|samp|tt)>(?P<code>[^<>`\n]+)</(?P=tag)>", re.IGNORECASE)
_ALT = re.compile(r"\balt=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_TABLE = re.compile(r"<(/?)table\b[^<>]*>", re.IGNORECASE)

_CALLOUT = re.compile(r"^(?P<mark>[ \t]*(?:>[ \t]?)+)\[!(?P<kind>\w+)\][+-]?(?P<title>.*)$")
_HIGHLIGHT = re.compile(
    r"^(?P<indent>[ \t]*)\{\{(?P<mark>[<%])\s*highlight\s+(?P<language>[\w+#-]+)[^\n]*?[>%]\}\}\n?"
    r"(?P<code>.*?)\n?[ \t]*\{\{[<%]\s*/\s*highlight\s*[>%]\}\}",
    re.DOTALL | re.MULTILINE,
)
_HIGHLIGHT_END = re.compile(r"\{\{[<%]\s*/\s*highlight\s*[>%]\}\}")
# What it says ends before the next one begins, so that a text of mere openings is read once.
_SHORTCODE = re.compile(r"\{\{[<%](?!/\*)(?P<inside>(?:(?!\{\{)[^\n])*?)[>%]\}\}")
_ARGUMENT = re.compile(
    r"(?:(?P<key>[\w-]+)\s*=\s*)?(?:\"(?P<text>[^\"]*)\"|`(?P<raw>[^`]*)`|(?P<word>\S+))"
)
_PLACES = frozenset({"ref", "relref", "link"})
_NOTICES = frozenset({"hint", "notice", "alert", "callout", "admonition", "note", "warning", "tip"})
_SAYING = ("title", "caption", "alt", "text", "header", "label", "name", "summary")


def to_plain_markdown(text: str) -> str:
    """Return the text as a reader of the rendered page sees it, in plain Markdown."""
    if not any(mark in text for mark in ("<", "{{", "!!!", "???", "===", "[!")):
        return text
    text = unpacked(text)
    if "{{" in text or "<" in text:
        text = "".join(
            stretch if is_code else _tables(_highlights(stretch))
            for stretch, is_code in _stretches(text)
        )
    known = _known_tags(text)
    lines = text.split("\n")
    kept: list[str] = []
    prose: list[str] = []

    def flush() -> None:
        if prose:
            kept.append(_prose("\n".join(prose), known))
            prose.clear()

    at = 0
    for start, end, is_code in _blocks(text):
        prose.extend(lines[at:start])
        flush()
        block = "\n".join(lines[start:end])
        kept.extend([block] if is_code else _html_block(block, known))
        at = end
    prose.extend(lines[at:])
    flush()
    return "\n".join(kept)


def _stretches(text: str) -> Iterator[tuple[str, bool]]:
    """Cut a text into what stands in fences (True) and what doesn't."""
    fence: str | None = None
    run: list[str] = []
    for line in text.splitlines(keepends=True):
        mark = None if fence else FENCE.match(line.rstrip("\n"))
        if mark:
            yield "".join(run), False
            run, fence = [line], mark["fence"]
            continue
        run.append(line)
        if fence and closes_fence(line.rstrip("\n"), fence):
            yield "".join(run), True
            run, fence = [], None
    yield "".join(run), fence is not None


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the lines of each block of code (True) and of HTML, in their order."""
    at = 0
    for token in _PARSER.parse(text):
        if token.map and token.type in {"fence", "code_block", "html_block"}:
            start, end = max(at, token.map[0]), token.map[1]
            if start < end:
                yield start, end, token.type != "html_block"
                at = end


def _known_tags(text: str) -> Callable[[re.Match[str]], bool]:
    """Return what tells a tag from a placeholder: its attributes, or that its pair is there."""
    seen = {(bool(tag["close"]), tag["name"].lower()) for tag in _TAG.finditer(text)}

    def is_tag(tag: re.Match[str]) -> bool:
        name, rest = tag["name"].lower(), tag["rest"].strip(" /\t\n")
        if name in {"br", "hr", "wbr"}:
            return True
        if name in _VOID:
            return "=" in rest
        if name in _WITHOUT_CLOSING or name not in _PAIRED:
            return name in _WITHOUT_CLOSING
        return "=" in rest or {(True, name), (False, name)} <= seen

    return is_tag


def _tables(text: str) -> str:
    """Replace each HTML table, also one with empty lines in it, which end a block of HTML."""
    depth = 0
    begin = at = 0
    found: list[str] = []
    for tag in _TABLE.finditer(text):
        if not tag.group(1):
            if not depth:
                begin = tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and not text[text.rfind("\n", 0, begin) + 1 : begin].strip():
                line = text.rfind("\n", 0, begin) + 1
                escaped = _escaped(text[begin : tag.end()], _known_tags(text))
                found.append(text[at:line])
                found.append(_moved(fragment_to_markdown(escaped), text[line:begin]) + "\n")
                at = tag.end()
    return "".join([*found, text[at:]])


def _escaped(markup: str, is_tag: Callable[[re.Match[str]], bool]) -> str:
    def one(tag: re.Match[str]) -> str:
        name = tag["name"].lower()
        known = is_tag(tag) or name in {"table", "tbody", "thead", "tfoot", "caption"}
        return tag.group() if known else "&lt;" + tag.group()[1:-1] + "&gt;"

    return _TAG.sub(one, _without_comments(markup))


def _html_block(block: str, is_tag: Callable[[re.Match[str]], bool]) -> list[str]:
    indent = block[: len(block) - len(block.lstrip())].rpartition("\n")[2]
    quote = re.match(r"[ \t]*(?:>[ \t]?)+", block)
    if quote:
        return [_prose(block, is_tag)]
    flat = fragment_to_markdown(_escaped(block, is_tag))
    # An empty line on both sides, so that what was apart stays apart.
    return ["", _moved(flat, indent), ""] if flat else [""]


def _moved(text: str, indent: str) -> str:
    return "\n".join(f"{indent}{line}" if line else line for line in text.split("\n"))


def _highlights(text: str) -> str:
    """Make fences of Hugo's `highlight`, looking no further than the last one is closed."""
    last = max((match.end() for match in _HIGHLIGHT_END.finditer(text)), default=0)
    return _HIGHLIGHT.sub(_as_fence, text[:last]) + text[last:] if last else text


def _as_fence(match: re.Match[str]) -> str:
    return _moved(fenced(match["code"], match["language"]), match["indent"])


def _prose(text: str, is_tag: Callable[[re.Match[str]], bool]) -> str:
    """Clean what stands between the code spans of a stretch of prose."""
    text = "\n".join(_callout(line) for line in text.split("\n"))
    if "<" not in text and "{{" not in text:
        return text
    spans = [0, *(at for span in _spans(text) for at in span), len(text)]
    return "".join(
        text[start:end] if number % 2 else _clean(text[start:end], is_tag)
        for number, (start, end) in enumerate(pairwise(spans))
    )


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where code spans begin and end, in linear time for any number of backticks.

    A run of backticks opens a span when one of the same length follows in its paragraph.
    """
    start = 0
    for border in [*(match.start() for match in _EMPTY_LINE.finditer(text)), len(text)]:
        runs = [run.span() for run in _RUN.finditer(text, start, border)]
        following: dict[int, int] = {}
        closing = [0] * len(runs)
        for index in range(len(runs) - 1, -1, -1):
            length = runs[index][1] - runs[index][0]
            closing[index] = following.get(length, 0)
            following[length] = index
        index = 0
        while index < len(runs):
            if closing[index]:
                yield runs[index][0], runs[closing[index]][1]
            index = max(closing[index], index) + 1
        start = border


def _without_comments(text: str) -> str:
    """Leave out comments; one that isn't closed stays, so that nothing after it is lost."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join([*kept, text[at:]])


def _callout(line: str) -> str:
    match = _CALLOUT.match(line)
    if match is None:
        return line
    title = match["title"].strip() or match["kind"].capitalize()
    return f"{match['mark']}{said(title)}"


def _clean(text: str, is_tag: Callable[[re.Match[str]], bool]) -> str:
    text = _SHORTCODE.sub(_shortcode, _without_comments(text))
    text = _LINK.sub(lambda link: f"[{link['text'].strip() or link['href']}]({link['href']})", text)
    text = _CODE.sub(lambda code: f"`{_unescaped(code['code'])}`", text)

    def tag(match: re.Match[str]) -> str:
        if not is_tag(match):
            return match.group()
        if match["name"].lower() == "br":
            return " "
        if match["name"].lower() == "img":
            alt = _ALT.search(match["rest"])
            return (alt.group(1) or alt.group(2) or "") if alt else ""
        return ""

    return _TAG.sub(tag, text)


def _unescaped(code: str) -> str:
    return code.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _shortcode(match: re.Match[str]) -> str:
    """Return what a shortcode says to a reader: a page's name, a title, a caption."""
    name, _, rest = match["inside"].strip().rstrip("/").partition(" ")
    if name.startswith("/") or not name:
        return ""
    named: dict[str, str] = {}
    plain: list[tuple[str, bool]] = []
    for argument in _ARGUMENT.finditer(rest):
        value = argument["text"] or argument["raw"] or argument["word"] or ""
        if argument["key"]:
            named[argument["key"].lower()] = value
        else:
            plain.append((value, argument["word"] is None))
    saying = next((named[key] for key in _SAYING if named.get(key)), "")
    first = plain[0][0] if plain else ""
    if name in _PLACES:
        return first or named.get("path", "")
    if name in _NOTICES:
        kind = saying or first or named.get("type") or named.get("color") or name
        return said(kind[0].upper() + kind[1:])
    if name == "param":
        return first
    return saying or next((value for value, quoted in plain if quoted), "")
