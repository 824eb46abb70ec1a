"""Sentences of an answer, and which of them claim nothing. Pure.

Claims nothing: a question, a lead-in (ends in a colon), a courtesy, a statement that the runbooks
don't say something, and what holds no word at all.
"""

import re
from itertools import pairwise

from bot import code
from bot.citations.markers import GROUP, without_groups

__all__ = ["bare", "is_idle", "is_lead", "says_no_match", "sentences", "tells_nothing"]

_CLOSERS = r"[\"'”’»)\]*_]*+"
_CUT = re.compile(
    rf"(?P<stop>[.!?…。！？]++){_CLOSERS}(?P<cites>(?:\s*{GROUP.pattern}[.\"'”’»)*_]*+)*)(?P<gap>\s*)"
    rf"|(?P<line>(?:{GROUP.pattern}|:)[)*_]*+[ \t]*+\n)\s*"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|max|min|no|ca|fig|resp|dr|mr|mrs|st|[a-z]))\.$",
    re.IGNORECASE,
)
_OPENS = re.compile(rf"[\"'“‘(\[`*_<{chr(0xE000)}]*[A-Z0-9]|[\"'“‘(\[`*_<]*[^\x00-\x7f]")
_LONGEST_ABBREVIATION = 8
_AFTER_GROUP = "\ue001"

_TAGS = re.compile(r"<[^<>\n]{0,200}>")
_NUMBER = re.compile(r"\[\^?\d{1,9}\]")
_MARKUP = str.maketrans("", "", "*_~#>|")
_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "‑": "-"})

_COURTESY = re.compile(
    r"(?:i )?hope (?:this|that|it) (?:helps?|is helpful)\b.{0,40}"
    r"|(?:please )?(?:let (?:me|us) know|feel free to (?:ask|reach out)|do not hesitate)\b.{0,100}"
    r"|(?:sure|certainly|of course|absolutely|great question|good question|good luck|thanks?"
    r"|thank you|you're welcome|happy to help|glad to help|hi|hello|hey|ok|okay|got it|stay safe"
    r"|understood|yes|no)\b[^`]{0,25}"
    r"|(?:here|below)(?:'s| is| are) (?:what|how|the|a|an|my)\b[^`\d]{0,80}"
    r"|(?:based on|according to) the (?:runbooks?|passages?|documents?|sources?)",
    re.IGNORECASE | re.DOTALL,
)

_TEXTS = (
    r"(?:runbooks?|passages?|documents?|documentation|docs|sources?|context|excerpts?|corpus"
    r"|chunks?|knowledge base|provided (?:text|information|material))"
)
_NOT = r"(?:n't|not|never|no longer)"
_ABSENT = re.compile(
    rf"\bno[_ -]?match(?:es)?\b"
    rf"|\b(?:i|we)\b.{{0,30}}(?:{_NOT}|unable|nothing).{{0,30}}\b(?:find|found|locate|know|see"
    rf"|answer|have (?:any|enough|the|an?)|sure)\b"
    rf"|\b(?:i|we) (?:find|found|have|see) (?:nothing|no)\b"
    rf"|\b{_TEXTS}\b.{{0,60}}(?:{_NOT}\b.{{0,20}}\b(?:contain|cover|mention|describe|include|answer"
    rf"|say|provide|specify|address|give|tell|explain|discuss|state)\b"
    rf"|\b(?:contains?|says?|mentions?|gives?|includes?|provides?) (?:no|nothing)\b)"
    rf"|\b(?:no|nothing|none)\b.{{0,40}}\b(?:in|among|from)\b.{{0,20}}\b{_TEXTS}\b"
    rf"|{_NOT}\b.{{0,10}}\b(?:covered|documented|mentioned|described|found|listed|specified"
    rf"|explained|answered)\b.{{0,10}}\b(?:in|by|among)\b.{{0,20}}\b{_TEXTS}\b",
    re.IGNORECASE | re.DOTALL,
)
_GOES_ON = re.compile(
    r"\b(?:but|however|instead|so|therefore|yet|although|unless|then|and|generally|typically)\b|;",
    re.IGNORECASE,
)
_LONGEST_ABSENT = 240


def sentences(text: str) -> list[str]:
    """Cut a paragraph where sentences end, markers and space after them included.

    A marker belongs to the sentence before it, also after the full stop. A line break ends a
    sentence only after a marker or a colon; elsewhere it is a wrapped line.
    """
    hidden = code.masked(text)
    cuts = [0, *(match.end() for match in _CUT.finditer(hidden) if _ends(match, hidden)), len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if end > start]


def _ends(match: re.Match[str], text: str) -> bool:
    if match["line"] or match["cites"]:
        return True
    stop, gap = match["stop"], match["gap"]
    if stop[-1] in "。！？":
        return True
    if not gap:
        return False
    if stop[-1] in "!?" or text[match.start() - 1 : match.start()] == _AFTER_GROUP:
        return True
    word = text[max(match.start() - _LONGEST_ABBREVIATION, 0) : match.start() + 1]
    if stop == "." and _ABBREVIATED.search(word):
        return False
    return _OPENS.match(text, match.end()) is not None


def bare(text: str) -> str:
    """Return a sentence as it reads: on one line, without markers, markup and quotation marks."""
    words = _NUMBER.sub("", without_groups(text))
    plain = _TAGS.sub("", words).translate(_MARKUP).translate(_TYPOGRAPHY)
    return " ".join(plain.split())


def is_lead(sentence: str) -> bool:
    """Tell whether a sentence only leads into what follows."""
    return bare(sentence).endswith((":", "："))


def tells_nothing(sentence: str) -> bool:
    """Tell whether a sentence says, and only says, that the runbooks don't answer."""
    words = bare(sentence)
    return (
        len(words) <= _LONGEST_ABSENT
        and "`" not in words
        and _ABSENT.search(words) is not None
        and not _GOES_ON.search(words)
    )


def says_no_match(sentence: str) -> bool:
    """Tell whether a sentence says that nothing was found, whatever else it says."""
    return _ABSENT.search(bare(sentence)[:_LONGEST_ABSENT]) is not None


def is_idle(sentence: str) -> bool:
    """Tell whether a sentence claims nothing."""
    words = bare(sentence)
    return (
        not any(char.isalnum() for char in words)
        or words.rstrip("\"')”").endswith(("?", "？"))
        or _COURTESY.fullmatch(words.strip(" .!,:")) is not None
        or tells_nothing(sentence)
    )
