"""Does a text hold a private key or a token? Known forms, and passwords too random for words.

Placeholders of documentation (`<password>`, `xoxb-…`, `AKIAIOSFODNN7EXAMPLE`) are none. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import log2

__all__ = ["Secret", "find_secret"]

# A kind, what every one of it holds, and its form: to look for a few letters costs a hundredth of
# what the form costs, and few documents hold any of them.
_FORMS = tuple(
    (kind, marks, re.compile(form))
    for kind, marks, form in (
        ("an AWS access key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
        (
            "a Slack token",
            ("xox", "xapp-"),
            r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}|\bxapp-\d-[A-Za-z0-9-]{20,}",
        ),
        (
            "a Slack webhook",
            ("hooks.slack.com/services/T",),
            r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{20,}",
        ),
        (
            "a GitHub token",
            ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
            r"\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{40,}",
        ),
        ("a GitLab token", ("glpat-",), r"\bglpat-[\w-]{20,}"),
        ("a Google API key", ("AIza",), r"\bAIza[\w-]{35}(?![\w-])"),
        ("a Stripe key", ("k_live_",), r"\b[rs]k_live_[A-Za-z0-9]{20,}"),
        (
            "a key of a model provider",
            ("sk-ant", "sk-proj", "sk-or", "sk-svcacct"),
            r"\bsk-(?:ant|proj|or|svcacct)-[\w-]{20,}",
        ),
        ("an npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
        ("a PyPI token", ("pypi-AgEI",), r"\bpypi-AgEI[\w-]{40,}"),
        ("a Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{34}\b"),
        ("a SendGrid key", ("SG.",), r"\bSG\.[\w-]{20,}\.[\w-]{40,}"),
        ("a DigitalOcean token", ("_v1_",), r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
        ("an OpenShift token", ("sha256~",), r"\bsha256~[\w-]{43}(?![\w-])"),
        ("an age key", ("AGE-SECRET-KEY-1",), r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
        ("a JSON Web Token", (".eyJ",), r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}"),
    )
)

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-\d",
    re.MULTILINE,
)
# How far behind its first line a key's bytes begin at the latest (headers may be in between).
_KEY_WINDOW = 600
_KEY_BYTES = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
# A shorter key's bytes are lines of their own, not the words that stand for them.
_KEY_LINE = re.compile(r"^[ \t>|]{0,40}(?P<bytes>[A-Za-z0-9+/]{12,}={0,2})\s*$", re.MULTILINE)
_KEY_WORDS = re.compile(r"key|here|content|base64|private|secret|snip", re.IGNORECASE)

# What is assigned is looked for before the name that it is assigned to: long values are rarer.
# A lookahead, because one value may hold the next name.
_ASSIGNED = re.compile(
    r"[:=]>?\s{0,3}[\"']?(?=(?P<value>[A-Za-z0-9+/_=.!@^&-]{16,200})(?=[\"'\s,;]|$))", re.MULTILINE
)
_NAMED = re.compile(
    r"(?:password|passwd|passphrase|secret|token|credentials?|api[_-]?key|access[_-]?key|"
    r"private[_-]?key)[\w-]{0,24}[\"']?\s{0,3}\Z",
    re.IGNORECASE,
)
_LONGEST_NAME = 48
_AUTHORIZATION = re.compile(
    r"\bAuthorization[\"']?\s{0,3}[:=,]\s{0,3}[\"']?(?:Bearer|token)\s{1,3}"
    r"(?P<value>[A-Za-z0-9+/_=.~-]{20,4096})",
    re.IGNORECASE,
)
_URL_PASSWORD = re.compile(r"://[\w.-]{1,64}:(?P<value>[^\s:@/]{12,128})@")
_PLACEHOLDER = re.compile(
    r"example|sample|dummy|placeholder|changeme|redacted|your|xxxx|\.\.\.|\*\*\*|12345678|abcdefgh",
    re.IGNORECASE,
)
_CAMEL_CASE = re.compile(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|\d{1,4}(?!\d))+")
_FEWEST_DIFFERENT = 8
_LEAST_ENTROPY = 3.6  # bits a character; words joined by hyphens lie below or have one case


@dataclass(frozen=True, slots=True)
class Secret:
    """What was found, and in which line (counted from 1). Never the secret itself."""

    line: int
    kind: str


def find_secret(text: str) -> Secret | None:
    """Return the first secret of a text."""
    first = min(_found(text), default=None)
    return first and Secret(text.count("\n", 0, first[0]) + 1, first[1])


def _found(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first of each kind, with its place."""
    for kind, marks, form in _FORMS:
        if any(mark in text for mark in marks):
            for match in form.finditer(text):
                if not _is_dummy(match.group()):
                    yield match.start(), kind
                    break
    yield from islice(_private_keys(text), 1)
    yield from islice(_passwords(text), 1)
    yield from islice(_authorizations(text), 1)
    yield from islice(_url_passwords(text), 1)


def _private_keys(text: str) -> Iterator[tuple[int, str]]:
    if "PRIVATE KEY" not in text and "PuTTY" not in text:
        return
    for match in _PRIVATE_KEY.finditer(text):
        # JSON writes the ends of lines as \n.
        behind = text[match.end() : match.end() + _KEY_WINDOW].replace("\\n", "\n")
        body = behind.partition("-----END")[0]
        if any(not _is_dummy(run) for run in _KEY_BYTES.findall(behind)) or any(
            _is_short_key(line["bytes"]) for line in _KEY_LINE.finditer(body)
        ):
            yield match.start(), "a private key"


def _passwords(text: str) -> Iterator[tuple[int, str]]:
    for match in _ASSIGNED.finditer(text):
        name = text[max(0, match.start() - _LONGEST_NAME) : match.start()]
        if _is_random(match["value"]) and _NAMED.search(name):
            yield match.start("value"), "a password or token"


def _authorizations(text: str) -> Iterator[tuple[int, str]]:
    if "author" not in text.lower():
        return
    for match in _AUTHORIZATION.finditer(text):
        value = match["value"]
        # What stands in this header is a token, also one of digits and small letters.
        mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        if mixed and not _is_dummy(value) and not _looks_like_name(value):
            yield match.start("value"), "a password or token"


def _url_passwords(text: str) -> Iterator[tuple[int, str]]:
    for match in _URL_PASSWORD.finditer(text):
        if text[match.start() - 1 : match.start()].isalnum() and _is_random(match["value"]):
            yield match.start("value"), "a password or token"


def _is_short_key(value: str) -> bool:
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    return mixed and not _is_dummy(value) and not _KEY_WORDS.search(value)


def _is_dummy(value: str) -> bool:
    return bool(_PLACEHOLDER.search(value)) or len(set(value)) < _FEWEST_DIFFERENT


def _is_random(value: str) -> bool:
    """Whether nobody would choose it as a name: three kinds of characters, evenly mixed."""
    if _is_dummy(value) or _looks_like_name(value):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    return all(any(map(kind, value)) for kind in kinds) and _entropy(value) >= _LEAST_ENTROPY


def _looks_like_name(value: str) -> bool:
    """Whether it is a CamelCase name, or a path, dotted or hyphened one: pieces that are words."""
    if _CAMEL_CASE.fullmatch(value):
        return True
    pieces = re.split(r"[/.:_=-]", value)
    words = [
        piece for piece in pieces if re.fullmatch(r"[A-Za-z]?[a-z]+\d{0,2}|[A-Z]+|\d+|", piece)
    ]
    return len(pieces) > 1 and len(words) * 2 > len(pieces)


def _entropy(value: str) -> float:
    counts = Counter(value).values()
    return -sum(count / len(value) * log2(count / len(value)) for count in counts)
