"""Filters by service and type: which of several holds, and the help when a name isn't known. Pure.

A question's own words hold before its thread's filter, and that before its channel's.
`service:all` says that everything is meant.
"""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.channel_settings import ChannelSettings
from bot.question import Question
from bot.thread_settings import ThreadSettings
from retrieval.shelf import Kind

__all__ = [
    "EVERYTHING",
    "Known",
    "effective",
    "known",
    "meant",
    "named",
    "only_known",
    "problems",
    "written",
]

EVERYTHING: Final = frozenset({"all", "any", "everything", "*"})
"""Names that mean no filter; a question's `service:all` reaches beyond a channel's own."""

_PAIR = re.compile(r"(?<!\S)(?P<key>[A-Za-z_-]{2,12})[:=](?P<name>[^\s\"“,]{2,80})")
_KEYS: Final = {"service": "service", "type": "type", "doc_type": "type"}
_NEAR_KEY: Final = 0.7  # of difflib: `typ`, `tpye`, `servce`; `time` is as near, its value isn't
_NEAR_NAME: Final = 0.5
_SURE: Final = 0.8
_OFFERED: Final = 3
_LISTED: Final = 8


@dataclass(frozen=True, slots=True)
class Known:
    """The services and types of the documents that somebody may see."""

    services: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()

    def of(self, key: str) -> tuple[str, ...]:
        """Return the names that a filter's key takes."""
        return self.services if key == "service" else self.doc_types


def known(kinds: Iterable[Kind]) -> Known:
    """Return the names of some kinds of documents."""
    found = list(kinds)
    return Known(
        tuple(sorted({each.service for each in found})),
        tuple(sorted({each.doc_type for each in found})),
    )


def effective(asked: Question, thread: ThreadSettings, channel: ChannelSettings) -> Question:
    """Return a question with the filter that holds for it, each key by itself."""
    stays = thread if thread.filtered else channel
    return replace(
        asked,
        services=_without_all(asked.services or stays.services),
        doc_types=_without_all(asked.doc_types or stays.doc_types),
    )


def _without_all(names: tuple[str, ...]) -> tuple[str, ...]:
    return () if EVERYTHING.intersection(names) else names


def only_known(asked: Question, there: Known) -> Question:
    """Return a question without the names in its filter that no document has."""
    return replace(
        asked,
        services=tuple(each for each in asked.services if each in there.services),
        doc_types=tuple(each for each in asked.doc_types if each in there.doc_types),
    )


def named(text: str) -> bool:
    """Tell whether a text holds anything like a filter, known or misspelt."""
    return _PAIR.search(text) is not None


def problems(text: str, asked: Question, there: Known) -> tuple[str, ...]:
    """Return a sentence for each name or key of a filter that nobody knows, with the nearest.

    Where there are no documents at all, nothing is wrong with a name.

    Args:
        text: the message as it was written.
        asked: what was read from it, with filters given beside it.
        there: the names that may be used.
    """
    if not there.services:
        return ()
    unknown = [
        *(_unknown("service", name, there) for name in asked.services),
        *(_unknown("type", name, there) for name in asked.doc_types),
        *(sentence for sentence, _ in _misspelt(text, there)),
    ]
    return tuple(dict.fromkeys(each for each in unknown if each))


def meant(text: str, asked: Question, there: Known) -> tuple[str, ...]:
    """Return the filters that names and keys nobody knows may stand for, as one writes them.

    Args:
        text: the message as it was written.
        asked: what was read from it.
        there: the names that may be used.
    """
    unknown = [
        *(("service", each) for each in asked.services if each not in there.services),
        *(("type", each) for each in asked.doc_types if each not in there.doc_types),
    ]
    near = [_pair(key, each) for key, name in unknown for each in _nearest(name, there.of(key))]
    return tuple(dict.fromkeys([*near, *(pair for _, pair in _misspelt(text, there))]))


def written(services: Sequence[str], doc_types: Sequence[str]) -> str:
    """Return a filter as one writes it: `service:payments type:runbook`; empty for none."""
    names = (*(_pair("service", each) for each in services),)
    return " ".join((*names, *(_pair("type", each) for each in doc_types)))


def _pair(key: str, name: str) -> str:
    return f'{key}:"{name}"' if re.search(r"[\s,]", name) else f"{key}:{name}"


def _unknown(key: str, name: str, there: Known) -> str:
    names = there.of(key)
    if name in names or name in EVERYTHING:
        return ""
    return f"No document here has the {key} “{name}”{_offer(key, name, names)}"


def _offer(key: str, name: str, names: Sequence[str]) -> str:
    near = _nearest(name, names)
    if near:
        return f": did you mean {_or(f'`{_pair(key, each)}`' for each in near)}?"
    more = ", …" if len(names) > _LISTED else ""
    return f"; there are {', '.join(names[:_LISTED])}{more}."


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    holding = [each for each in names if name in each or each in name]
    near = difflib.get_close_matches(name, names, _OFFERED, _NEAR_NAME)
    return list(dict.fromkeys([*holding, *near]))[:_OFFERED]


def _misspelt(text: str, there: Known) -> Iterable[tuple[str, str]]:
    """Give a sentence for `typ:runbook`, a key that is nearly one before a name, and what it is."""
    for match in _PAIR.finditer(text):
        key, name = match["key"].lower(), match["name"].lower().rstrip(".?!)")
        near = difflib.get_close_matches(key.rstrip("s"), _KEYS, 1, _NEAR_KEY)
        if key in _KEYS or not near:
            continue
        wanted = _KEYS[near[0]]
        names = difflib.get_close_matches(name, there.of(wanted), 1, _SURE)
        if names:
            pair = _pair(wanted, names[0])
            yield f"I know no filter “{key}:”: did you mean `{pair}`?", pair


def _or(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
