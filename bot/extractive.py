"""The answerer that needs no model: it quotes the pieces nearest the question, cited.

It can't invent anything, so it is the embedded default and stays the fallback. The passages are
cut into pieces (`bot.pieces`); each is compared with the question, by embedding and by shared
words, together with the heading it stands under; the best few are quoted in the passages' order.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.citations import neutral
from bot.pieces import Piece, pieces
from retrieval.documents import Passage
from retrieval.embedding import Embedder
from retrieval.errors import EmbedderDown
from retrieval.tokens import index_tokens, query_tokens

__all__ = ["Extractive"]

_QUOTES = 3  # quoted pieces in an answer: what fits a phone's screen above the sources
_PATIENCE = 10.0  # seconds for the embedder, which waits far longer for an ingest
_LONGEST = 1_800  # characters of an answer; a further piece is added only below it
_COMPARED = 32  # pieces compared by embedding; the rest share too few words to win
_CLOSE = 0.12  # a piece this much worse than the best is left out
_CLOSE_STEPS = 0.35  # the same of the nearest commands, when the question asks what to do

_ABOUT = 0.5  # the share of the words that must be meant, for commands to be about them

# Weights beside the cosine similarity (-1 to 1), found on the samples' questions.
_WORDS = 0.25  # the share of the question's words that a piece holds
_HEADING = 0.20  # the share of them that the heading above it holds
_FOCUS = 0.20  # the share of a follow-up's own words
_STEPS = 0.10  # commands and steps, when the question asks what to do
_NAMED = 0.15  # a table's row whose code or number the question names

_ASKS_WHAT_TO_DO = re.compile(
    r"\b(?:how (?:do|can|could|should|would|to)|what (?:do|can|should|must) (?:i|we)|what now"
    r"|what to do|which (?:cmd|command)|command|steps?|fix|restart|roll ?back|undo|fail ?over)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A piece and how near it is.

    `about`: the share of the words that must be meant (a follow-up's own, else the question's)
    which the piece and its heading hold. `named`: it is a row whose key the question names.
    """

    piece: Piece
    passage: int
    heading: str
    score: float = 0.0
    about: float = 0.0
    named: bool = False

    @property
    def words(self) -> str:
        """What is compared with the question."""
        return f"{self.heading}\n{self.piece.words}"


class Extractive:
    """Quotes, with an embedder to tell which pieces are nearest."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def answer(
        self, question: str, passages: Sequence[Passage], ids: Sequence[str], focus: str = ""
    ) -> str:
        """Return Markdown whose lines each end in the id of the passage they quote.

        Args:
            question: what is asked, with the thread's topic when it is a follow-up.
            passages: the passages, best first.
            ids: their ids, in the same order.
            focus: the message's own words; pieces about them go before the topic's.

        Returns:
            An empty text when nothing in the passages is worth quoting.
        """
        wanted = frozenset(query_tokens(question))
        own = frozenset(query_tokens(focus)) if focus and focus != question else frozenset[str]()
        steps = bool(_ASKS_WHAT_TO_DO.search(question))
        found = _right_rows(
            [
                _Candidate(piece, number, piece.heading or passage.heading or passage.title)
                for number, passage in enumerate(passages)
                for piece in pieces(passage.text)
            ],
            wanted,
        )
        near = [_by_words(each, wanted, own, steps=steps) for each in found]
        if own:
            near = [each for each in near if each.about or not each.piece.is_steps]
        by_words = sorted(near, key=lambda each: (-each.score, each.passage))[:_COMPARED]
        chosen = _best(await self._by_meaning(question, by_words), steps=steps)
        return "\n".join(_quote(each, ids[each.passage]) for each in chosen)

    async def _by_meaning(self, question: str, found: Sequence[_Candidate]) -> list[_Candidate]:
        """Add each candidate's cosine similarity; without an embedder the words decide alone."""
        try:
            async with asyncio.timeout(_PATIENCE):
                asked = await self._embedder.embed_query(question)
                vectors = await self._embedder.embed_documents([each.words for each in found])
        except (EmbedderDown, TimeoutError):
            return list(found)
        return [
            replace(each, score=each.score + float(asked @ vector))
            for each, vector in zip(found, vectors, strict=True)
        ]


def _by_words(
    found: _Candidate, wanted: frozenset[str], own: frozenset[str], *, steps: bool
) -> _Candidate:
    held = frozenset(index_tokens(found.piece.words))
    heading = frozenset(index_tokens(found.heading))
    score = (
        _WORDS * _share(wanted, held)
        + _HEADING * _share(wanted, heading)
        + _FOCUS * _share(own, held | heading)
        + _STEPS * (steps and found.piece.is_steps)
        + _NAMED * found.named
    )
    return replace(found, score=score, about=_share(own or wanted, held | heading))


def _share(wanted: frozenset[str], held: frozenset[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _right_rows(found: list[_Candidate], wanted: frozenset[str]) -> list[_Candidate]:
    """Keep only the rows that the question names, by a code or number, if it names any."""
    names = {token for token in wanted if re.search(r"\d", token)}
    marked = [
        replace(
            each,
            named=each.piece.is_row and bool(names.intersection(index_tokens(each.piece.text))),
        )
        for each in found
    ]
    if not any(each.named for each in marked):
        return found
    return [each for each in marked if each.named or not each.piece.is_row]


def _best(scored: Sequence[_Candidate], *, steps: bool) -> list[_Candidate]:
    """Return the few to be quoted, in the order of the passages.

    Who asks what to do gets the nearest commands or steps, too, when they are about the matter:
    the sentence that repeats the question's words says less than the command below it, but a
    command for production is no answer to "and in staging?".
    """
    ranked = sorted(scored, key=lambda each: (-each.score, each.passage))
    chosen: list[_Candidate] = []
    length = 0
    for each in ranked[:_QUOTES]:
        length += len(each.piece.words)
        if chosen and (each.score < ranked[0].score - _CLOSE or length > _LONGEST):
            break
        chosen.append(each)
    if steps and not any(each.piece.is_steps for each in chosen):
        near = (each for each in ranked if each.piece.is_steps and each.about >= _ABOUT)
        first = next(near, None)
        if first and first.score >= ranked[0].score - _CLOSE_STEPS:
            chosen = [*chosen[: _QUOTES - 1], first]
    return sorted(chosen, key=lambda each: (each.passage, each.piece.position))


def _quote(found: _Candidate, name: str) -> str:
    # A block without a sentence of its own is introduced by where it stands, not by advice.
    piece = found.piece
    lead = neutral(piece.text or f"{' '.join(found.heading.split())}:")
    steps = "".join(f"\n   {neutral(step)} [{name}]" for step in piece.steps)
    block = f"\n\n{piece.block}\n" if piece.block else ""
    return f"- {lead} [{name}]{steps}{block}"
