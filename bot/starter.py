"""A first file of cases, out of what was asked and what is stored, for a person to correct."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from bot.question import parse
from schema import Pool
from schema.sql import load

__all__ = ["Asked", "starter"]

_QUERIES: Final = load("bot", "starter.sql")
_MOST_ASKED: Final = 300
_TITLES_EACH: Final = 5
_MOST_TITLES: Final = 60

type End = Literal["answered", "unhelpful", "no_match"]

_HEAD: Final = """\
# Questions to measure the search with. Correct every case, then: footnote eval run THIS_FILE
#   ask    what somebody would type; keep typos and half sentences, that is how it is at night
#   files  the documents that answer it, as `footnote documents list` names them
#   files: []   says that nothing here answers it, and NO_MATCH is right
# Sixty of each kind prove something; a dozen is a start. Take out what only one person may read.
"""
_ABOVE: Final = {
    "answered": "Asked and answered. Are these the documents that answer it?",
    "unhelpful": "Asked and answered, and found unhelpful. Which documents should it have been?",
    "no_match": "Asked, and nothing was found. Put in the document if there is one.",
    "titles": "Not asked yet. Put it into the words of somebody who doesn't know the page:"
    "\n# with the page's own words it is too easy, and the figures flatter.",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the log, how it ended, and the documents its answer cited."""

    question: str
    end: End
    files: tuple[str, ...]


async def starter(pool: Pool) -> tuple[str, int, int]:
    """Return the file's text, how many questions were asked, how many only stand for pages."""
    asked = await _asked(pool)
    async with pool.connection() as connection:
        parameters = {"each": _TITLES_EACH, "limit": _MOST_TITLES}
        cursor = await connection.execute(_QUERIES["titles"], parameters)
        rows: list[Any] = await cursor.fetchall()
    pages = _pages(asked, rows)
    return _text(asked, pages), len(asked), len(pages)


async def _asked(pool: Pool) -> list[Asked]:
    async with pool.connection() as connection:
        cursor = await connection.execute(_QUERIES["asked"], {"limit": _MOST_ASKED})
        rows: list[Any] = await cursor.fetchall()
        turns = [turn for *_, turn in rows]
        cursor = await connection.execute(_QUERIES["unhelpful"], {"turns": turns})
        voted: list[Any] = await cursor.fetchall()
        unhelpful = {turn for (turn,) in voted}
    found: dict[str, Asked] = {}
    for question, stop_reason, cited, turn in rows:
        text = " ".join(parse(question).text.split())
        end: End = "answered" if cited else "no_match"
        if cited and turn in unhelpful:
            end = "unhelpful"
        files = tuple(cited) if stop_reason == "cited" else ()
        if text:
            found.setdefault(text.casefold(), Asked(text, end, files))
    return list(found.values())


def _pages(asked: Sequence[Asked], titles: Sequence[tuple[str, str]]) -> list[Asked]:
    """Return a case for each title that no question asks for; pages of one title share it."""
    named = {source for each in asked for source in each.files}
    questions = {each.question.casefold() for each in asked}
    found: dict[str, Asked] = {}
    for title, source in titles:
        text = " ".join(title.split())
        if source not in named and text.casefold() not in questions:
            alike = found.get(text.casefold(), Asked(text, "answered", ()))
            found[text.casefold()] = replace(alike, files=(*alike.files, source))
    return list(found.values())


def _text(asked: Sequence[Asked], pages: Sequence[Asked]) -> str:
    parts = [_HEAD]
    for end in ("answered", "unhelpful", "no_match"):
        cases = [each for each in asked if each.end == end]
        if cases:
            parts.append(f"\n# {_ABOVE[end]}\n")
            parts.extend(_case(each.question, each.files) for each in cases)
    if pages:
        parts.append(f"\n# {_ABOVE['titles']}\n")
        parts.extend(_case(each.question, each.files) for each in pages)
    return "".join(parts)


def _case(question: str, files: Sequence[str]) -> str:
    # JSON's strings and lists are YAML's too, and never need a second look at their quotes.
    listed = json.dumps(list(files), ensure_ascii=False)
    return f"- ask: {json.dumps(question, ensure_ascii=False)}\n  files: {listed}\n"
