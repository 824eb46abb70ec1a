"""What an alert in a channel is about: its name and its own words, without links, labels and times.

Pure. Made for what PagerDuty, Grafana, Alertmanager and Datadog post, and for whatever says it in
its text, its blocks or its attachments. A notice that something is over is no alert.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import unescape
from typing import Any, Final, cast

__all__ = ["fingerprint", "read"]

_LONGEST: Final = 500  # characters; more words make a search vaguer, not better
_LONGEST_LINE: Final = 250
_OVER: Final = re.compile(
    r"^\W*(?:\[?(?:p\d|warn|info)\]?\W*)*(?:resolved|recovered|recovery|ok|closed|cleared|acknowledged"
    r"|acked|normal|back to normal|silenced|suppressed)\b|\bhas (?:been )?(?:resolved|recovered)\b",
    re.IGNORECASE,
)
_STATUS: Final = re.compile(
    r"""^[^\w\[{(]*(?:
        \[(?:firing|alerting|triggered|re-?triggered|alert|no\ data|warn(?:ing)?|critical|error|p\d)
          \b[^\]]*\]
      | \#\d+ | p\d\b
      | (?:re-?triggered|triggered|firing|alerting|new\ incident|incident|alert|critical
          |warn(?:ing)?|no\ data|sev-?\d)\b(?=\s*[:#\-–—|\[])
    )[\s:\-–—|]*""",
    re.IGNORECASE | re.VERBOSE,
)
_LINE: Final = re.compile(r"^\W*(?P<key>[A-Za-z][\w ./-]{1,30}?)\s*[:=]\s+(?P<value>\S.*)$")
_TOLD: Final = frozenset(
    {"alertname", "alert", "alert name", "rule", "monitor", "summary", "description", "message"}
    | {"error", "component", "condition", "details", "title", "incident", "problem"}
)
_SERVICE: Final = frozenset({"service", "impacted service", "app", "application", "job"})
_EMPTY: Final = re.compile(
    r"^\W*(?:(?:\d+ )?firing|alerts? firing)\W*$|^\W*[\w ./-]{1,30}:$", re.IGNORECASE
)


def read(message: Mapping[str, Any]) -> str:
    """Return the words to search for: the alert's name on the first line, then what it tells.

    Empty when the message is no alert: it says nothing, or that something is over.
    """
    lines = [line for each in _said(message) for line in _lines(each)]
    titles = [line for line in lines if not _LINE.match(line)]
    if not lines or any(_OVER.search(line) for line in titles[:2]):
        return ""
    told: list[str] = []
    services: list[str] = []
    for line in lines:
        pair = _LINE.match(line)
        if pair is None:
            told.append(_without_status(line))
            continue
        key = pair["key"].lower().strip()
        if key in _SERVICE:
            services.append(pair["value"])
        elif _STATUS.match(line) or key in _TOLD:
            told.append(_without_status(line) if _STATUS.match(line) else pair["value"])
    # A name that another line repeats in full says nothing twice.
    words = [each for each in dict.fromkeys(told) if re.search(r"[A-Za-z]{2}", each)]
    if not words:
        return ""
    name = words[0]
    about = next((each for each in services if each.lower() not in name.lower()), "")
    rest = [each for each in words[1:] if each.lower() not in name.lower()]
    return "\n".join([f"{name} {about}".strip(), *rest])[:_LONGEST].strip()


def fingerprint(words: str) -> str:
    """Return the same text for the same alert: as its name goes, whatever its numbers are."""
    name = re.sub(r"\d+", "#", words.partition("\n")[0].lower())
    return sha256(" ".join(name.split()).encode(errors="replace")).hexdigest()[:16]


def _without_status(line: str) -> str:
    while mark := _STATUS.match(line):
        if mark.end() == 0 or mark.end() == len(line):
            break
        line = line[mark.end() :]
    return line.strip()


def _lines(text: str) -> Iterator[str]:
    """Give the lines of a text as a person reads them, without addresses, marks and mentions."""
    text = re.sub(r"<(?:https?|mailto):[^<>|]+\|([^<>]*)>", r"\1", text)
    text = re.sub(r"<[^<>\s][^<>]*>|https?://\S+", " ", text)
    text = re.sub(r":[a-z][a-z0-9_+-]*:(?!\S)|%%%|@(?:slack|pagerduty|opsgenie)\S*", " ", text)
    for line in unescape(text).split("\n"):
        plain = " ".join(re.sub(r"[*`~]|(?<!\w)_|_(?!\w)", "", line).split())
        if plain and not _EMPTY.match(plain):
            yield plain[:_LONGEST_LINE]


def _said(message: Mapping[str, Any]) -> Iterator[str]:
    """Give what a message says, titles first; a fallback only where nothing else is said."""
    found = [str(message.get("text") or ""), *_texts(message.get("blocks"))]
    for attachment in _objects(message.get("attachments")):
        own = [str(attachment.get(key) or "") for key in ("pretext", "title", "text")]
        own += [f"{each.get('title')}: {each.get('value')}" for each in _fields(attachment)]
        own += _texts(attachment.get("blocks"))
        found += own if any(own) else [str(attachment.get("fallback") or "")]
    return (each for each in found if each.strip())


def _fields(attachment: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return _objects(attachment.get("fields"))


def _texts(node: object) -> list[str]:
    """Return the texts of blocks; one with a line break in it holds several lines."""
    found: list[str] = []
    for block in _objects(node):
        kind = block.get("type")
        if kind in {"context", "actions", "divider", "image"}:
            continue
        if kind == "rich_text":
            found.append(_flat(block))
            continue
        texts = [block.get("text"), *_objects(block.get("fields"))]
        for text in _objects(texts):
            # `*Service:*⏎payments` is how a field of a section is written.
            words = str(text.get("text") or "")
            found.append(re.sub(r"^\*([^\n:*]{2,30}):?\*\n", r"\1: ", words))
    return found


def _flat(node: object) -> str:
    if isinstance(node, list):
        return "".join(_flat(each) for each in cast("list[object]", node))
    if not isinstance(node, dict):
        return ""
    block = cast("dict[str, object]", node)
    own = block["text"] if isinstance(block.get("text"), str) else ""
    end = "\n" if str(block.get("type")).startswith("rich_text_") else ""
    return f"{own}{_flat(block.get('elements'))}{end}"


def _objects(node: object) -> list[Mapping[str, Any]]:
    if not isinstance(node, list):
        return []
    items = cast("list[object]", node)
    return [cast("Mapping[str, Any]", each) for each in items if isinstance(each, dict)]
