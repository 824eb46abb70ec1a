"""Text made safe for Slack: escaped once, on one line where it must be, cut where it is long. Pure.

Slack reads `&`, `<` and `>` as markup, and `<!channel>` or `<@U…>` would call people; escaped,
nothing that a document or a model wrote can ping anyone.
"""

import re
from urllib.parse import quote

__all__ = ["cut", "escape", "link", "markdown", "one_line", "plain"]

_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(`+)(?:(?!\1).)+?\1(?!`)")
_SAFE_IN_URL = "!#$%&'()*+,-./:;=?@_~[]"


def escape(text: str) -> str:
    """Escape the three characters that Slack reads as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def one_line(text: str, most: int = 150) -> str:
    """Put a text on one line of at most `most` characters, escaped, without formatting marks."""
    return escape(cut(plain(text), most))


def plain(text: str) -> str:
    """Return a text's words on one line: no formatting marks, `·` between a table's cells."""
    words = " ".join(re.sub(r"[`*~]", "", text.replace("|", " · ")).split())
    return re.sub(r"(?:\s*·\s*)+", " · ", words).strip(" ·")


def cut(text: str, most: int) -> str:
    """Cut a text at a space to at most `most` characters, an ellipsis included."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    space = head.rfind(" ")
    return (head[:space] if space > most // 2 else head).rstrip() + "…"


def link(address: str | None, words: str) -> str:
    """Return words (made safe already) as a link, or bare when there is no web address."""
    if not address or not re.match(r"https?://", address, re.IGNORECASE):
        return words
    return f"<{escape(quote(address, safe=_SAFE_IN_URL))}|{words}>"


def markdown(text: str) -> str:
    """Return Markdown for a `markdown` block: escaped outside code, exact inside it.

    A command must paste as it was written, and Slack expands nothing inside code.
    """
    lines: list[str] = []
    fence: str | None = None
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence is not None:
            lines.append(line)
            if mark and line.strip() == mark["fence"] and mark["fence"].startswith(fence):
                fence = None
        elif mark:
            fence = mark["fence"]
            lines.append(line)
        else:
            lines.append(_escape_outside_code(line))
    return "\n".join(lines)


def _escape_outside_code(line: str) -> str:
    pieces: list[str] = []
    done = 0
    for span in _CODE_SPAN.finditer(line):
        pieces += [_visible(line[done : span.start()]), span[0]]
        done = span.end()
    return "".join([*pieces, _visible(line[done:])])


def _visible(text: str) -> str:
    """Escape prose, but leave the mark of a quotation (`> `) at the start of a line alone."""
    mark = re.match(r"^\s*(?:> ?)+", text)
    head = mark[0] if mark else ""
    return head + escape(text[len(head) :])
