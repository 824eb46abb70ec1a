"""Whether the passages that a claim cites have anything to do with it: a cheap check. Pure.

A number (with its unit), date, version, host, path or identifier of a claim must occur in one of
the chunks it cites; and one telling word at least must be theirs, too. It finds what is plainly
made up and proves nothing else.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from bot import code
from bot.citations.markers import without_groups
from bot.citations.marks import Mark
from retrieval.documents import Passage
from retrieval.tokens import index_tokens, word_tokens

__all__ = ["Ground", "support"]

_UNITS = {
    name: unit
    for unit, names in {
        "ms": "ms msec msecs millisecond milliseconds",
        "s": "s sec secs second seconds",
        "min": "m min mins minute minutes",
        "h": "h hr hrs hour hours",
        "d": "d day days",
        "wk": "w week weeks",
        "%": "% percent pct",
        "kb": "kb kib",
        "mb": "mb mib",
        "gb": "g gb gib gi",
        "tb": "t tb tib ti",
    }.items()
    for name in names.split()
}
_WORDS = {
    word: str(number)
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six"),
            *("seven", "eight", "nine", "ten", "eleven", "twelve"),
        )
    )
}
_QUANTITY = re.compile(r"(?<![\w.,:/@-])(\d+(?:\.\d+)?)[ \u00a0-]?(%|[a-z]+\b)?(?![\w:/@-])")
_THOUSANDS = re.compile(r"(?<=\d)[,\u2009\u202f'](?=\d{3}(?!\d))")
_NUMBER_WORD = re.compile(r"\b(?:" + "|".join(_WORDS) + r")\b")
_ORDINAL = re.compile(r"\b(?:steps?|points?|options?|items?|parts?|phases?)\s+\d+\b", re.IGNORECASE)

_TOKEN = re.compile(r"[^\s\"'“”‘’«»(){}<>|,;!?，。、]+")
_TAGS = re.compile(r"</?[a-z][^<>\n]{0,200}>", re.IGNORECASE)
_EDGES = ".:*_~-–—…[]`=\\"
_DOTTED = re.compile(r"\w{2,}(?:[.:@_]\w+)+", re.ASCII)
_PATH = re.compile(r"(?:https?://|[~.]{0,2}/)[\w.-]+(?:/[\w.%-]*)*", re.ASCII)
_CAMEL = re.compile(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_HUMP_MIN = 3
_TELLING = 3  # words that a claim must have for "nothing in common" to mean anything

# Words of any runbook: sharing them says nothing.
_COMMON = frozenset(
    word_tokens(
        "run runs check make sure use see first next step steps following please need needs note"
        " also only always never again one two not all no new set get go take look after before"
        " until once if it they you should must may might more most other another each any"
    )
)


@dataclass(frozen=True)
class Ground:
    """What a claim stands on: the text of the chunks it cites, with titles and headings."""

    text: str

    @staticmethod
    def of(passages: Iterable[Passage]) -> "Ground":
        """Return the ground of some passages, as the answerer saw them."""
        parts = [
            part
            for each in passages
            for part in (each.title, each.heading, each.context, each.service, each.text, each.link)
            if part
        ]
        return Ground("\n".join(parts))

    @cached_property
    def plain(self) -> str:
        """The text as it is compared."""
        return _plain(self.text)

    @cached_property
    def quantities(self) -> frozenset[tuple[str, str]]:
        """Its numbers, each with its unit, or with none."""
        digits = _NUMBER_WORD.sub(lambda word: _WORDS[word[0]], self.plain)
        return frozenset(_quantities(digits)) | frozenset(_quantities(self.plain))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every run of digits in it, whatever stands around it."""
        return frozenset(re.findall(r"\d+(?:\.\d+)?", self.plain)) | {
            number for number, _ in self.quantities
        }

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, and compounds of two of them."""
        return frozenset(index_tokens(self.text))

    def has(self, name: str) -> bool:
        """Tell whether an identifier stands in the text, within its own borders."""
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.plain) is not None


def support(words: str, ground: Ground) -> tuple[Mark, ...]:
    """Return the marks on a claim's prose; its code is looked at elsewhere."""
    prose = _ORDINAL.sub(" ", _TAGS.sub(" ", without_groups(_without_spans(words))))
    missing = [*_missing_quantities(_plain(prose), ground), *_missing_names(prose, ground)]
    marks = [Mark("unsupported", tuple(dict.fromkeys(missing)))] if missing else []
    telling = _telling(without_groups(words))
    if len(telling) >= _TELLING and not telling & ground.words and _same_script(telling, ground):
        marks.append(Mark("unrelated"))
    return tuple(marks)


def _plain(text: str) -> str:
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())


def _without_spans(text: str) -> str:
    kept: list[str] = []
    done = 0
    for start, end in code.spans(text):
        kept.append(text[done:start])
        done = end
    return " ".join([*kept, text[done:]])


def _quantities(plain: str) -> Iterable[tuple[str, str]]:
    for match in _QUANTITY.finditer(plain):
        yield _number(match[1]), _UNITS.get(match[2] or "", "")


def _number(digits: str) -> str:
    whole, _, part = digits.partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if part else "")


def _missing_quantities(plain: str, ground: Ground) -> list[str]:
    missing: list[str] = []
    for match in _QUANTITY.finditer(plain):
        number, unit = _number(match[1]), _UNITS.get(match[2] or "", "")
        there = (number, unit) in ground.quantities
        if not there and unit:  # "30 s" of a column "seconds", or "30" beside its word
            there = (number, "") in ground.quantities
        if not there and not unit:
            there = number in ground.numbers or match[1] in ground.numbers
        if not there:
            missing.append(f"{match[1]} {match[2]}" if unit else match[1])
    return missing


def _missing_names(prose: str, ground: Ground) -> list[str]:
    missing: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", prose)):
        name = match[0].strip(_EDGES).replace("**", "")
        if not name or not _is_name(name):
            continue
        plain = _plain(name)
        if ground.has(plain) or ground.has(plain.removeprefix("v")) or ground.has(f"v{plain}"):
            continue
        if _CAMEL.fullmatch(name) and _humps_known(name, ground):
            continue
        missing.append(name)
    return missing


def _is_name(token: str) -> bool:
    """Tell whether a token is a date, version, host, address, path or identifier."""
    if _QUANTITY.fullmatch(_plain(token)):
        return False  # a number, seen already
    digits = any(char.isdigit() for char in token)
    return bool(
        (digits and any(char.isalnum() for char in token) and token.isascii())
        or _DOTTED.fullmatch(token)
        or _PATH.fullmatch(token)
        or _CAMEL.fullmatch(token)
    )


def _humps_known(name: str, ground: Ground) -> bool:
    humps = [each.casefold() for each in _HUMP.findall(name) if len(each) > _HUMP_MIN]
    return bool(humps) and all(each in ground.plain for each in humps)


def _telling(text: str) -> frozenset[str]:
    return frozenset(word_tokens(text)) - _COMMON


def _same_script(telling: Iterable[str], ground: Ground) -> bool:
    """Tell whether two texts are written in one script at all, so that words can be compared."""
    return _ascii_mostly(list(telling)) == _ascii_mostly(list(ground.words))


def _ascii_mostly(words: Sequence[str]) -> bool:
    return sum(word.isascii() for word in words) * 2 >= len(words)
