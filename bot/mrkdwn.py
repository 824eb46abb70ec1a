"""Text made safe for Slack: escaped once, on one line where it must be, cut where it is long. Pure.

Slack reads `&`, `<` and `>` as markup, and `<!channel>` or `<@U…>` would call people; escaped,
nothing that a document or a model wrote can ping anyone.
"""

import re
from datetime import datetime
from urllib.parse import quote

from bot import code

__all__ = ["cut", "cut_lines", "escape", "excerpt", "link", "markdown", "moment", "one_line"]

_HEADING = re.compile(r"^ {0,3}#{1,6}\s+")
_ROW = re.compile(r"^\s*\|(?P<cells>.*\S)\s*\|\s*$")
_ITEM = re.compile(r"^\s*[-*+]\s+")
_CALLS = re.compile(r"<(?=!(?:channel|here|everyone|subteam\^)|@[UW][A-Z0-9]|#C[A-Z0-9])")
_LONGEST_LINK = 1_000
_ROOM = 100  # characters for the words after a cut
_ENTITY = 5  # characters of the longest escape, `&amp;`
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
    place = _place(words, _flat(quoted)) if quoted else -1
    if place > 0 and words[:place].endswith("; "):  # a row of a table stands by itself
        words = f"…{words[place:]}"
    elif place + len(quoted) > most:
        begin = words.rfind(" ", 0, max(place - _BEFORE, 1)) + 1
        words = f"…{words[begin:]}" if begin else words
    shown = cut(words, most)
    if shown.count("`") % 2:  # a code span was cut through: better none of it
        shown = shown[: shown.rfind("`")].rstrip() + "…"
    return escape(shown)


def _place(words: str, quoted: str) -> int:
    """Return where a quotation stands; a table's row is quoted with the names of its columns."""
    place = words.find(quoted[:_ENOUGH])
    if place < 0 and " · " in quoted:
        row = words.find(f"; {quoted.partition(' · ')[0]} · ")
        place = row + len("; ") if row >= 0 else -1
    return place


def _flat(text: str) -> str:
    kept: list[str] = []
    for line, is_code in code.lines(text):
        if not is_code and not code.is_rule(line):
            kept.append(_marked(line))
        elif not is_code and kept and kept[-1].endswith(";"):  # the rule below a table's header
            kept[-1] = kept[-1][:-1] + ":"
        elif is_code and (not kept or kept[-1] != "…"):
            kept.append("…")
    prose = code.outside_spans(" ".join(kept), _without_marks)
    return re.sub(r"(?:\s*·\s*)+", " · ", " ".join(prose.split())).strip(" ·;")


def _marked(line: str) -> str:
    """Keep headings, list items and rows apart from what follows, without Markdown."""
    if row := _ROW.match(line):
        return row["cells"] + ";"
    if heading := _HEADING.match(line):
        return line[heading.end() :].rstrip(" #") + ":"
    return _ITEM.sub("• ", line)


def _without_marks(prose: str) -> str:
    return re.sub(r"\*+|~~|`+", "", prose.replace("|", " · "))


def cut_lines(text: str, most: int) -> str:
    """Cut escaped Markdown at a line, closing a code block that is cut through, and say so."""
    if len(text) <= most:
        return text
    kept = text[: most - _ROOM].rsplit("\n", 1)[0]
    kept = kept[: kept.rfind("&")] if "&" in kept[-_ENTITY:] else kept
    closing = ""
    for line, is_code in code.lines(kept):
        mark = code.FENCE.match(line)
        if not is_code or (closing and code.closes(line, closing)):
            closing = ""
        elif not closing and mark:
            closing = mark["fence"]
    end = f"\n{closing}" if closing else ""
    return f"{kept}{end}\n\n…the rest is in the sources below."


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
    safe = escape(quote(address, safe=_SAFE_IN_URL))
    return f"<{safe}|{words}>" if len(safe) <= _LONGEST_LINK else words


def moment(at: datetime) -> str:
    """Return a time that Slack shows in the reader's own zone; without that it isn't broken."""
    plain = f"{at.day} {at:%b} {at.year}, {at:%H:%M} UTC".replace(" ", "\N{NO-BREAK SPACE}")
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}}, {{time}}|{plain}>"


def markdown(text: str) -> str:
    """Return Markdown for a `markdown` block: escaped outside code, exact inside it.

    A command must paste as it was written. Only what would call people is escaped there, too:
    no command looks like that, and which renderer takes what for code is not ours to decide.
    """
    shown = "\n".join(
        line if is_code else code.outside_spans(line, _visible)
        for line, is_code in code.lines(text)
    )
    return _CALLS.sub("&lt;", shown)


def _visible(text: str) -> str:
    """Escape prose, but leave the mark of a quotation (`> `) at the start of it alone."""
    mark = re.match(r"^\s*(?:> ?)+", text)
    head = mark[0] if mark else ""
    return head + escape(text[len(head) :])
