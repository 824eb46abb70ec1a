"""Which cells of a table a question asks for: who owns it, on which port it is. Pure.

A row is what is asked for when one of its cells is named in the question, and the name of another
one's column is, too, or a word that stands for it: `who` for an owner, `where` for a host.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.pieces import pieces_of
from bot.wishes import wish_of
from retrieval.documents import Passage
from retrieval.names import bare, codes_in
from retrieval.tokens import index_tokens

__all__ = ["Lookup", "holding"]

_MOST_WORDS = 4  # of a cell that is named
_SHORTEST = 4  # characters of one
_WORD = re.compile(r"[\w./:@-]+")
# What a question says, and what such a column is called.
_STANDS_FOR = {
    "who|whom|whose|owns?|owned": "owner owners owned team contact lead maintainer responsible",
    "where": "host hosts address url link location place path board",
    "when": "time when date schedule within",
    "how (?:long|often|fast|soon|late)": "within after duration time timeout updates interval",
    "how many": "limit count number most replicas connections",
}
_COLUMNS = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), frozenset(index_tokens(names)))
    for asked, names in _STANDS_FOR.items()
)


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a question names, in one to four words each, and the tokens of columns it asks for."""

    names: frozenset[str]
    columns: frozenset[str]

    @staticmethod
    def of(question: str) -> "Lookup":
        """Return that of a question."""
        words = [word.strip("./:-") for word in _WORD.findall(question)]
        names = {
            bare("".join(words[start:end]))
            for start in range(len(words))
            for end in range(start + 1, min(start + _MOST_WORDS, len(words)) + 1)
        }
        meant = (names for asked, names in _COLUMNS if asked.search(question))
        return Lookup(
            frozenset(each for each in names if len(each) >= _SHORTEST),
            frozenset(index_tokens(question)).union(*meant),
        )

    def asked(self, row: Sequence[tuple[str, str]]) -> list[str]:
        """Return the names of a row's columns that are asked for; none of another row.

        Args:
            row: its cells, each behind the name of its column.
        """
        named = [column for column, cell in row if bare(cell) in self.names]
        if row and not named and self._begins(row[0][1]):
            named = [row[0][0]]
        others = [column for column, _ in row if column not in named] if named else []
        return [each for each in others if self.columns.intersection(index_tokens(each))]

    def _begins(self, cell: str) -> bool:
        """Say whether a cell's first word is named: `Redis, cache and flags` is a Redis."""
        first = next(iter(_WORD.findall(cell)), "")
        return bare(first) in self.names


def holding(question: str, found: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages with a row that a question asks for, or with one for its code.

    A chunk of a long table is near to no question by its vector, whatever row of it is asked for.
    """
    wish = wish_of(question)
    lookup = Lookup.of(question if wish == "fact" else "")
    codes = {bare(code) for code in codes_in(question)} if wish in {"fact", "meaning"} else set()

    def is_asked(row: Sequence[tuple[str, str]]) -> bool:
        return bool(row) and (bare(row[0][1]) in codes or bool(lookup.asked(row)))

    tables = (each for each in found if "|" in each.text)
    return tuple(each for each in tables if any(is_asked(one.columns) for one in pieces_of(each)))
