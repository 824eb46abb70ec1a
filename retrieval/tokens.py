"""Text to keyword tokens: the one tokenizer of all three keyword engines, and a pure one.

A token is lower-case and holds no whitespace, so that an engine's whitespace tokenizer gives
back exactly these. An identifier gives itself and its parts:

    /var/log/nginx/error.log  -> var/log/nginx/error.log var log nginx error.log error log
    KubeNodeNotReady          -> kubenodenotready kube node not ready
    node_exporter:9100        -> node_exporter:9100 node_exporter node exporter 9100

A word and what goes with it give what they are written as together, too, in all their forms:

    fails over, fail-over     -> fail over failov            failover -> failov

Stored with the corpus is `TOKENS_VERSION`: text has to be tokenised again when it changes.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from Stemmer import Stemmer

__all__ = [
    "MAX_TOKEN",
    "STOP_WORDS",
    "TOKENS_VERSION",
    "compounds",
    "index_tokens",
    "query_tokens",
    "word_tokens",
]

TOKENS_VERSION = 3

MAX_TOKEN = 64
"""Characters of a token; a longer one is cut, in a document and in a query alike."""

# Scripts whose words are not told apart by spaces, or not only: in pairs of characters.
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_CJK = f"{_HAN}{_HANGUL}{_KANA}"
_WORD = rf"[^\W{_CJK}]+"
_SCAN = re.compile(rf"[{_CJK}]+|{_WORD}(?:[./:@\\-]+{_WORD})*")
# The same for ASCII, in half the time.
_SCAN_ASCII = re.compile(r"[A-Za-z0-9_]++(?:[./:@\\-]++[A-Za-z0-9_]++)*+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_OUTER = re.compile(r"[/:@\\]+")
_INNER = re.compile(r"[.-]+")
# Pieces of HTTPServer2: HTTP, Server, 2. Letters outside ASCII count as small ones.
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][^\W\dA-Z_])|[A-Z]?[^\W\dA-Z_]+|[A-Z]+|\d+")
_HEX = re.compile(r"(?:0x)?(?=[a-f]*[0-9])[0-9a-f]++")
_PLAIN = re.compile(r"[a-z]+")
_UNDIVIDED = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_VERSION = re.compile(r"v(\d[\w.-]*)")
# The last stands between the headings of a breadcrumb, often alone in being no ASCII.
_REPLACED = (("\u00ad", ""), ("\u200b", " "), ("\u2019", "'"), ("\u203a", ">"))

# Roll back, time-outs, logging in: what is written in two words here stands in one elsewhere. After
# `in`, `on` and `by` only short plain words, since these mostly begin something else. The second
# word is looked for, which is far less often there than a first, and by what stands before it.
_PARTICLE = re.compile(
    r"[ -](?=[bdiou])(?<=[A-Za-z][ -])(?:(over|back|out|up|down|off)s?|(in|on|by))(?![\w-])",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(?<![\w./:@\\-])[A-Za-z]{2,14}\Z")
_LONGEST_BEFORE = 15
_SHORT_VERB = 5

# Words that say nothing about what is asked; `not`, `up`, `down`, `off`, `out` do say something.
STOP_WORDS = frozenset(
    """
    a an and any are as at be been but by can could did do does for from had has have how i if in
    into is it its me my of on or our should so than that the their them then there these they
    this those to us was we were what when where which who why will with would you your
    don doesn didn isn aren wasn won ll re ve d m s t
    """.split()  # noqa: SIM905 - a paragraph of words reads better than ninety lines
)

# Without its cache: what is remembered is remembered below. A call holds the interpreter's lock, so
# that several threads may share it.
_ENGLISH = Stemmer("english", 0)

_SHORT = 2  # the rank of short words and numbers
_HEX_MIN = 8
_UUID_MIN = 16
_DIGITS_MIN = 3
_SHORT_WORD = 3  # letters
_COMPOUND = 15


def index_tokens(text: str) -> list[str]:
    """All tokens of a text in their order, repeats kept; compounds of two words at the end."""
    return [*_scan(text), *(joined for joined, _ in _compounds(text))]


def word_tokens(text: str) -> list[str]:
    """The same without compounds: what a text says, word by word."""
    return _scan(text)


def compounds(text: str) -> dict[str, tuple[str, ...]]:
    """The compounds that a text writes in two words, each with the tokens of these.

    `fail over` and `fail-over` have `failov`, with `fail`, `over` and `fail-over`.
    """
    return dict(_compounds(text))


def query_tokens(text: str, limit: int = 32) -> list[str]:
    """The `limit` most telling tokens of a query, each once, the most telling first.

    Identifiers come before words and words before bare numbers, hashes and timestamps; among
    equals the longer, then the earlier. Identifiers take at most five eighths of the limit, as
    long as there are words to fill the rest, so that a pasted log leaves the question its place.
    """
    tokens = list(dict.fromkeys(index_tokens(text)))
    order = sorted(range(len(tokens)), key=lambda n: (_rank(tokens[n]), -len(tokens[n]), n))
    ranked = [tokens[n] for n in order]
    identifiers = [token for token in ranked if _rank(token) == 0]
    others = [token for token in ranked if _rank(token) > 0]
    words = sum(1 for token in others if _rank(token) <= _SHORT)
    room = max(limit * 5 // 8, limit - words)
    return [*identifiers[:room], *others, *identifiers[room:]][:limit]


def _rank(token: str) -> int:
    """0 identifier, 1 word, 2 short word or number, 3 hash, timestamp, address."""
    if token.isalpha():
        if len(token) >= _COMPOUND:
            return 0
        return 1 if len(token) > _SHORT_WORD or not token.isascii() else _SHORT
    if token.startswith("0x"):
        return 0
    hashed = _HEX.fullmatch(token.replace("-", ""))
    if not any(char.isalpha() for char in token) or hashed:
        return _SHORT if len(token) < _HEX_MIN and token.isalnum() else 3
    if _DATE.match(token):
        return 3
    return _SHORT if token[0].isdigit() and token.isalnum() else 0


def _compounds(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for match in _PARTICLE.finditer(text):
        end = match.start()
        before = _BEFORE.search(text[max(0, end - _LONGEST_BEFORE) : end])
        if before is None:
            continue
        word = before[0].casefold()
        if word in STOP_WORDS or (match[2] and len(word) > _SHORT_VERB):
            continue
        yield _compound(word, (match[1] or match[2]).casefold())


@lru_cache(maxsize=5_000)
def _compound(word: str, particle: str) -> tuple[str, tuple[str, ...]]:
    stem = _stem(word)
    return _stem(stem + particle), (stem, particle, f"{word}-{particle}")


def _scan(text: str) -> list[str]:
    if not text.isascii():
        for old, new in _REPLACED:  # ten times as fast as str.translate
            text = text.replace(old, new)
    scan = _SCAN_ASCII
    if not text.isascii():
        scan = _SCAN
        text = unicodedata.normalize("NFKC", text)
    # `\_` is Markdown for an underscore; left as it is it would split the identifier.
    words: Sequence[str] = scan.findall(text.replace("\0", "").replace("\\_", "_"))
    if max(map(len, words), default=0) <= MAX_TOKEN:
        return list(chain.from_iterable(map(_remembered, words)))
    return [
        token
        for word in words
        for token in (_remembered(word) if len(word) <= MAX_TOKEN else _tokens_of(word))
    ]


@lru_cache(maxsize=50_000)
def _remembered(word: str) -> tuple[str, ...]:
    return _tokens_of(word)


def _tokens_of(word: str) -> tuple[str, ...]:
    """The tokens of one match of the scanner: itself and its parts, each once."""
    if _UNDIVIDED.fullmatch(word):  # most words
        token = word.lower()[:MAX_TOKEN]
        return () if token in STOP_WORDS else (_stem(token),)
    if _IS_CJK.match(word):
        pairs = (word[n : n + 2] for n in range(len(word) - 1))
        return tuple(_fold(pair) for pair in pairs) if len(word) > 1 else (_fold(word),)
    found: dict[str, None] = {}
    for piece in _pieces(word):
        token = _fold(piece)
        if token in STOP_WORDS or not token:
            continue
        found[_stem(token) if _PLAIN.fullmatch(token) else token] = None
    return tuple(found)


def _pieces(word: str) -> Iterator[str]:
    """The word, its parts at slashes, `:` and `@`, theirs at `.` and `-`, at `_`, by case."""
    whole = word.strip("_")
    yield whole
    for outer in _OUTER.split(whole):
        version = _VERSION.fullmatch(outer)
        yield from _part(outer)
        if version:
            yield version.group(1)
        if len(outer) >= _UUID_MIN and _HEX.fullmatch(outer.replace("-", "").casefold()):
            continue
        for inner in _INNER.split(outer):
            yield from _part(inner)
            for name in inner.split("_"):
                yield from _part(name)
                if len(name) >= _HEX_MIN and _HEX.fullmatch(name.casefold()):
                    continue  # the letters of a hash are no words
                for piece in _CAMEL.findall(name):
                    if not piece.isdigit() or len(piece) >= _DIGITS_MIN:
                        yield from _part(piece)


def _part(piece: str) -> Iterator[str]:
    """A part of one character (the 3 of v1.28.3) says nothing by itself."""
    bare = piece.strip("_")
    if len(bare) > 1:
        yield bare


def _fold(piece: str) -> str:
    return unicodedata.normalize("NFKC", piece.casefold())[:MAX_TOKEN].rstrip("._:/@\\-")


def _stem(word: str) -> str:
    """What is left of a word without its endings: `deploy`, `deploys`, `deployment` are `deploy`.

    Snowball's for English. On SciFact's 1,109 queries BM25 alone gave nDCG@10 .679 without
    stemming, .697 with plurals, -ing, -ed and -e taken off, .704 with this one. Porter's of 1980
    gave .705, and makes `dn` of `dns`.
    """
    stem = _ENGLISH.stemWord(word)
    return stem[:-1] if stem.endswith("ue") else stem  # queue -> queu, as queued
