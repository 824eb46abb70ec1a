"""Markers: every form in which models write an id, brought to one form, and numbered. Pure.

    [S1fk]  [S1fk, S2bd]  [S1fk; S2bd]  [[S1fk]]  【S1fk†source】  [^S1fk]  [source: S1fk, p. 3]
    [S1fk](https://…)  <sup>[S1fk]</sup>  ［S1fk］  (S1fk), this one only when the id is known

In between, a group of markers is one token (`GROUP`) of two private-use characters with the ids
inside: no model's text holds them (`clean` takes them out), so nothing can be mistaken for one.
An empty group was a marker of ids that no passage has.
"""

import re
from collections.abc import Callable, Mapping

from bot import code

__all__ = ["GROUP", "clean", "group", "ids_in", "neutral", "normal", "numbered", "without_groups"]

_FIRST, _LAST = "\ue000", "\ue001"
GROUP = re.compile(f"{_FIRST}[^{_FIRST}{_LAST}]*{_LAST}")
_PRIVATE = str.maketrans("", "", _FIRST + _LAST + "\0")

_BRACKETED = re.compile(
    r"(?P<sup><sup>)?\\?(?P<open>[\[［【(（])(?P<twice>(?P=open))?"
    r"(?P<inner>[^\[\]［］【】()（）\\]{1,200})"
    r"\\?[\]］】)）](?(twice)[\]］】)）])"
    r"(?:\((?:https?:|#)[^()\s]{0,300}\))?(?(sup)(?:</sup>)?)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\s*(?:(?:see|from|per|sources?|src|cite[sd]?|citations?|refs?|references?|passages?|chunks?"
    r"|ids?)\b[\s:#.]*)?",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\^?(?P<id>S\d{1,4}[A-Z]{0,3})(?![A-Z0-9])"
    r"(?:\s*[†:|–—][^,;]*+)?(?:,?\s*(?:pp?|pages?|lines?|sections?)\b\.?\s*\d[\d–-]*)?",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*[,;&/+、，；]\s*(?:and\s+)?|\s+(?:and\s+)?", re.IGNORECASE)
_NUMBERS = re.compile(r"[\[［【]\^?(\d{1,9}(?:\s*[,;–-]\s*\d{1,9}){0,20})[\]］】]")
_DROPPED = re.compile(f"(?<![ \\t])[ \\t]*{_FIRST}{_LAST}")
_BEFORE_FENCE = re.compile(f"^([ \\t]*)(?:{_FIRST}{_LAST}[ \\t]*)+(?=`{{3}}|~{{3}})", re.MULTILINE)
_RUN = re.compile(f"{GROUP.pattern}(?:[ \\t]*{GROUP.pattern})+")


def clean(text: str) -> str:
    """Take out the characters that stand for groups; no text has a use for them."""
    return text.translate(_PRIVATE)


def group(ids: tuple[str, ...]) -> str:
    """Return the token of a group of ids."""
    return f"{_FIRST}{','.join(dict.fromkeys(ids))}{_LAST}"


def ids_in(text: str) -> tuple[str, ...]:
    """Return the ids of all groups in a text, each once, in order."""
    found = [name for each in GROUP.findall(text) for name in each[1:-1].split(",") if name]
    return tuple(dict.fromkeys(found))


def without_groups(text: str) -> str:
    """Return a text without its markers."""
    return GROUP.sub("", text)


def normal(text: str, known: Callable[[str], str | None], unknown: list[str]) -> str:
    """Bring the markers of a paragraph to groups, and collect the ids that no passage has.

    Code spans stay as they are.
    """

    def one(match: re.Match[str]) -> str:
        named = _named(match["inner"])
        ids = tuple(name for each in named if (name := known(each)) is not None)
        if not named or (match["open"] in "(（" and len(ids) < len(named)):
            return match[0]
        unknown.extend(each for each in named if known(each) is None)
        return group(ids)

    def prose(text: str) -> str:
        return _RUN.sub(lambda run: group(ids_in(run[0])), _BRACKETED.sub(one, text))

    return code.outside_spans(text, prose)


def numbered(text: str, numbers: Mapping[str, int]) -> str:
    """Return a text whose groups are `[1] [2]`; empty ones leave nothing, not even a space.

    Numbers that stand in brackets already (a quoted source's, or the answerer's own) lose them,
    or they would read as footnotes of this answer.
    """

    def one(match: re.Match[str]) -> str:
        return " ".join(f"[{numbers[name]}]" for name in ids_in(match[0]))

    def prose(text: str) -> str:
        return GROUP.sub(one, _NUMBERS.sub(r"(\1)", _DROPPED.sub("", text)))

    # Taken from before backticks, a marker would leave a fence that swallows all below it.
    return code.outside_spans(_BEFORE_FENCE.sub(r"\1– ", text), prose)


def neutral(quoted: str) -> str:
    """Return a source's words with what would read as a marker of ours taken out of brackets."""

    def one(match: re.Match[str]) -> str:
        return f"({match['inner']})" if _named(match["inner"]) else match[0]

    return code.outside_spans(quoted, lambda prose: _BRACKETED.sub(one, prose))


def _named(inner: str) -> list[str]:
    """Return the ids in a bracket, or none when anything else stands in it, too."""
    label = _LABEL.match(inner)
    place = label.end() if label else 0
    end = len(inner.rstrip())
    found: list[str] = []
    while named := _NAMED.match(inner, place):
        found.append(named["id"])
        place = named.end()
        if place >= end:
            return found
        between = _SEPARATOR.match(inner, place)
        if not between:
            return []
        place = between.end()
    return []
