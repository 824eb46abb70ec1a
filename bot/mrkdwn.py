"""Text made safe for Slack: escaped once, on one line where it must be, cut where it is long. Pure.

Slack reads `&`, `<` and `>` as markup, and `<!channel>` or `<@U…>` would call people; escaped,
nothing that a document or a model wrote can ping anyone.
"""

import re
from urllib.parse import quote

from bot import code

__all__ = ["cut", "escape", "excerpt", "link", "markdown", "one_line"]

_HEADING = re.compile(r"^ {0,3}#{1,6}\s+")
_RULE = re.compile(r"^[\s|:-]*-{2,}[\s|:-]*$")
_ENOUGH = 40  # characters of a quotation that tell where it stands
_BEFORE = 60  # characters shown before it
_SAFE_IN_URL = "!#$%&'()*+,-./:;=?@_~[]"


def escape(text: str) -> str:
    """Escape the three characters that Slack reads as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def one_line(text: str, most: int = 150) -> str:
    """Put a name on one line of at most `most` characters, escaped, without formatting marks."""
    plain = re.sub(r"[`*~]", "", text.replace("|", "¦"))
    return escape(cut(" ".join(plain.split()), most))


def excerpt(text: str, quoted: str, most: int) -> str:
    """Return a piece of a passage on one line: around what an answer quotes, or its beginning.

    Prose loses its formatting marks. Code spans stay exact, and of code blocks there is only an
    ellipsis: a command that was cut or stripped of a `*` must not be there to be typed.
    """
    words = _flat(text)
    place = words.find(_flat(quoted)[:_ENOUGH]) if quoted else -1
    if place + len(quoted) > most:
        begin = words.rfind(" ", 0, max(place - _BEFORE, 1)) + 1
        words = f"…{words[begin:]}" if begin else words
    shown = cut(words, most)
    if shown.count("`") % 2:  # a code span was cut through: better none of it
        shown = shown[: shown.rfind("`")].rstrip() + "…"
    return escape(shown)


def _flat(text: str) -> str:
    kept: list[str] = []
    for line, is_code in code.lines(text):
        if not is_code and not _RULE.match(line):
            kept.append(_HEADING.sub("", line))
        elif is_code and (not kept or kept[-1] != "…"):
            kept.append("…")
    prose = code.outside_spans(" ".join(kept), _without_marks)
    return re.sub(r"(?:\s*·\s*)+", " · ", " ".join(prose.split())).strip(" ·")


def _without_marks(prose: str) -> str:
    return re.sub(r"\*+|~~|`+", "", prose.replace("|", " · "))


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
    return "\n".join(
        line if is_code else code.outside_spans(line, _visible)
        for line, is_code in code.lines(text)
    )


def _visible(text: str) -> str:
    """Escape prose, but leave the mark of a quotation (`> `) at the start of it alone."""
    mark = re.match(r"^\s*(?:> ?)+", text)
    head = mark[0] if mark else ""
    return head + escape(text[len(head) :])
