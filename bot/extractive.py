"""The answerer that needs no model: it quotes the sentences nearest the question, cited.

It can't invent anything, so it is the embedded default and stays the fallback. A passage is cut
into units (sentence, list item, table row, code block); each is compared with the question by
embedding and by shared words; the best few are quoted in the order of the passages.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bot import code
from bot.citations import passage_ids
from retrieval.documents import Passage
from retrieval.embedding import Embedder
from retrieval.errors import EmbedderDown
from retrieval.tokens import index_tokens, query_tokens

__all__ = ["Extractive", "Unit", "units"]

_QUOTES = 3  # quoted units in an answer: what fits a phone's screen above the sources
_COMPARED = 24  # units compared by embedding; the rest share too few words to win
_CLOSE = 0.12  # a unit this much worse than the best is left out
_WORDS = 0.25  # weight of the share of the question's words that a unit holds
_NAMED = 0.15  # for a table's row whose code or number the question names
_LEAST = 12  # characters of a unit worth quoting

_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r"^\s*(?:[-=*_]\s*){3,}$|^\s*\|?[\s:|-]+\|?\s*$")
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)[\"')\]]*\s+(?=[\"'(\[`*_]*[A-Z0-9])"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece of a passage, verbatim; `block` is a code block that belongs to it.

    `is_named`: it is a table's row, and the question names the code or number in it.
    """

    passage: int
    position: int
    text: str
    block: str = ""
    is_row: bool = False
    is_named: bool = False

    @property
    def words(self) -> str:
        """What is compared with the question."""
        return f"{self.text}\n{self.block}" if self.block else self.text


@dataclass(frozen=True, slots=True)
class _Scored:
    unit: Unit
    score: float


class Extractive:
    """Quotes, with an embedder to tell which sentences are nearest."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def answer(self, question: str, passages: Sequence[Passage]) -> str:
        """Return Markdown whose lines each end in the id of the passage they quote.

        An empty text means that nothing in the passages is worth quoting.
        """
        wanted = set(query_tokens(question))
        found = _right_rows(
            [unit for index, each in enumerate(passages) for unit in units(each.text, index)],
            wanted,
        )
        by_words = sorted(
            (_Scored(unit, _shared(unit, wanted)) for unit in found),
            key=lambda scored: (-scored.score, scored.unit.passage),
        )[:_COMPARED]
        scored = await self._by_meaning(question, by_words)
        if not scored:
            return ""
        best = max(each.score for each in scored)
        chosen = sorted(
            (each for each in scored if each.score >= best - _CLOSE), key=lambda each: -each.score
        )[:_QUOTES]
        ordered = sorted((each.unit for each in chosen), key=lambda u: (u.passage, u.position))
        ids = passage_ids(len(passages))
        return "\n".join(
            _quote(unit, passages[unit.passage], ids[unit.passage]) for unit in ordered
        )

    async def _by_meaning(self, question: str, candidates: list[_Scored]) -> list[_Scored]:
        try:
            asked = await self._embedder.embed_query(question)
            vectors = await self._embedder.embed_documents([c.unit.words for c in candidates])
        except EmbedderDown:
            return candidates
        return [
            replace(
                candidate,
                score=float(asked @ vector)
                + _WORDS * candidate.score
                + _NAMED * candidate.unit.is_named,
            )
            for candidate, vector in zip(candidates, vectors, strict=True)
        ]


def units(text: str, passage: int = 0) -> list[Unit]:
    """Cut a passage into quotable units. A code block joins the unit that leads into it."""
    pieces: list[Unit] = []
    paragraph: list[str] = []

    def close() -> None:
        if paragraph:
            joined = " ".join(line.strip() for line in paragraph)
            row = _is_row(joined)
            pieces.extend(Unit(passage, 0, piece, is_row=row) for piece in _sentences(joined))
            paragraph.clear()

    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        if mark := code.FENCE.match(line):
            close()
            end = _fence_end(lines, number, mark["fence"])
            pieces.append(Unit(passage, 0, "", _dedent(lines[number:end], mark["fence"])))
            number = end
            continue
        if not line.strip() or _HEADING.match(line) or _RULE.match(line):
            close()
        elif _ITEM.match(line) or _is_row(line):
            close()
            paragraph.append(line)
        else:
            paragraph.append(line)
        number += 1
    close()
    return _joined(pieces)


def _fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """Return the number of the line after a block; a block left open runs to the end."""
    for number in range(start + 1, len(lines)):
        if code.closes(lines[number], fence):
            return number + 1
    return len(lines)


def _dedent(block: Sequence[str], fence: str) -> str:
    """Take a block's own indentation (it stood in a list) off each of its lines, and close it."""
    indent = len(block[0]) - len(block[0].lstrip(" "))
    whole = block if len(block) > 1 and code.closes(block[-1], fence) else [*block, fence]
    return "\n".join(
        line[indent:] if not line[:indent].strip() else line.lstrip(" ") for line in whole
    )


def _sentences(paragraph: str) -> list[str]:
    """Cut a paragraph, item or row where sentences end; never inside a code span."""
    body = "" if _is_row(paragraph) else _ITEM.sub("", paragraph)
    if not body:
        return [" · ".join(_cells(paragraph))]
    cuts = [0, *(match.end() for match in _SENTENCE.finditer(code.masked(body))), len(body)]
    return [body[start:end].strip() for start, end in pairwise(cuts) if body[start:end].strip()]


def _cells(row: str) -> list[str]:
    r"""Return a row's cells that hold something; `\|` and pipes in code divide nothing."""
    hidden = re.sub(r"\\\|", "xx", code.masked(row))
    borders = [-1, *(match.start() for match in re.finditer(r"\|", hidden)), len(row)]
    cells = [row[start + 1 : end].strip() for start, end in pairwise(borders)]
    return [cell.replace("\\|", "|") for cell in cells if cell]


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _joined(pieces: Sequence[Unit]) -> list[Unit]:
    """Give each code block to the unit before it, and each unit its position."""
    result: list[Unit] = []
    for position, piece in enumerate(pieces):
        if not piece.text and result and not result[-1].block and not result[-1].is_row:
            result[-1] = replace(result[-1], block=piece.block)
        else:
            result.append(replace(piece, position=position))
    return [unit for unit in result if unit.block or len(unit.text) >= _LEAST]


def _right_rows(found: list[Unit], wanted: set[str]) -> list[Unit]:
    """Keep only the rows that the question names, by a code or number, if it names any."""
    names = {token for token in wanted if re.search(r"\d", token)}
    marked = [
        replace(unit, is_named=unit.is_row and bool(names & set(index_tokens(unit.text))))
        for unit in found
    ]
    if not any(unit.is_named for unit in marked):
        return found
    return [unit for unit in marked if unit.is_named or not unit.is_row]


def _shared(unit: Unit, wanted: set[str]) -> float:
    """Return the share of the question's words that a unit holds (0 to 1)."""
    return len(wanted & set(index_tokens(unit.words))) / max(len(wanted), 1)


def _quote(unit: Unit, passage: Passage, name: str) -> str:
    # A block without a sentence of its own is introduced by where it stands, not by advice.
    lead = unit.text or f"{' '.join((passage.heading or passage.title).split())}:"
    line = f"- {lead} [{name}]"
    return f"{line}\n\n{unit.block}\n" if unit.block else line
