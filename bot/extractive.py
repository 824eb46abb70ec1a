"""The answerer that needs no model: it quotes the pieces nearest the question, cited.

It can't invent anything, so it is the embedded default and stays the fallback. The passages are
cut into pieces (`bot.pieces`); each is compared with the question, by embedding and by shared
words, together with the heading it stands under, and by what its section is for (`bot.wishes`);
the best few are quoted in the passages' order (`bot.choosing`).
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from bot import rows
from bot.candidates import candidates_of
from bot.choosing import Candidate, choose, with_what_leads_there
from bot.citations import neutral
from bot.lookup import Lookup
from bot.pieces import Piece, is_short
from bot.targets import as_if, elsewhere, forbidden, is_elsewhere, names_of
from bot.wishes import Role, Wish, wish_of
from retrieval.documents import Passage
from retrieval.embedding import Embedder
from retrieval.errors import EmbedderDown
from retrieval.names import codes_in
from retrieval.tokens import index_tokens
from retrieval.words import Words

__all__ = ["Extractive"]

_PATIENCE = 10.0  # seconds for the embedder, which waits far longer for an ingest
_COMPARED = 32  # pieces compared by embedding; the rest share too few words to win

# Weights beside the cosine similarity (-1 to 1), found on the samples' questions.
_WORDS = 0.25  # the share of the question's words that a piece holds
_HEADING = 0.20  # the share of them that the heading above it holds
_TITLE = 0.15  # the share of them that the document's title holds
_FOCUS = 0.20  # the share of a follow-up's own words
_NAMED = 0.15  # a table's row whose code or number the question names
_STEPS = 0.10  # commands and steps, when the question asks what to do
_PAGE = 0.35  # a page that bears the name of what is asked about, such as an alert's
_PAST = 0.15  # taken from what tells of one incident, when something is to be done now
_SEE = 0.10  # taken from what only names another page
_FOUND = 0.04  # each passage of its document that was found
_ROW = 0.10  # taken from a row, when a meaning or a reason is asked for
_FORBIDDEN = 0.15  # a caution that has all that is asked: it is not to be done
_DEFINES = 0.20  # a sentence that begins with what is asked to be explained, and "is"
_LATER = 0.02  # for each piece before it in sections for the same: what comes first is tried first

# What a section is worth to a question, for what it is for.
_WORTH: dict[Wish, dict[Role, float]] = {
    "steps": {"remedy": 0.15, "check": 0.08, "intro": -0.12, "caution": -0.06, "aside": -0.15},
    "fact": {"aside": -0.05},
    "meaning": {"intro": 0.06, "aside": -0.08},
    "permission": {"caution": 0.15, "intro": -0.04, "aside": -0.05},
}

_ELSEWHERE = re.compile(
    r"(?:please |also )?(?:see|refer|go to|follow|read|(?:more|additional|further) information)\b",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(
    r"\s*what(?:'s|s| is| are) (?:the |an? )?(?P<name>[\w-]+(?: [\w-]+)?)\W*$", re.IGNORECASE
)
_LINKS = re.compile(r"\[[^\]\n]*\]\([^)\s]*\)|https?://\S+|\W+")


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
            passages: the passages, those of the best document first.
            ids: their ids, in the same order.
            focus: the message's own words; pieces about them go before the topic's.

        Returns:
            An empty text when nothing in the passages is worth quoting.
        """
        wish = wish_of(focus or question)
        names = names_of(focus) or names_of(question)
        # Pages are long, and their pieces many.
        codes = codes_in(focus) or codes_in(question)
        found = await asyncio.to_thread(candidates_of, passages, question, codes)
        asked, near = await asyncio.to_thread(_prepared, question, focus, names, found, wish)
        chosen = choose(await self._by_meaning(asked, near), wish)
        quoted = _joined(with_what_leads_there(chosen, found, wish))
        told = await asyncio.to_thread(
            elsewhere,
            focus or question,
            names,
            [each.piece for each in quoted],
            [each.piece for each in found],
        )
        return told + "\n".join(
            _quote(each, ids[each.passage], wish, within=_goes_on(each, before))
            for before, each in zip([None, *quoted], quoted, strict=False)
        )

    async def _by_meaning(self, question: str, found: Sequence[Candidate]) -> list[Candidate]:
        """Add each candidate's cosine similarity; without an embedder the words decide alone."""
        try:
            async with asyncio.timeout(_PATIENCE):
                asked = await self._embedder.embed_query(question)
                vectors = await self._embedder.embed_documents([each.words for each in found])
        except (EmbedderDown, TimeoutError):
            return list(found)
        return [
            replace(each, near=each.near + float(asked @ vector))
            for each, vector in zip(found, vectors, strict=True)
        ]


def _prepared(
    question: str, focus: str, names: Sequence[str], found: list[Candidate], wish: Wish
) -> tuple[str, list[Candidate]]:
    """Return a question as it is asked of what there are commands for, and the pieces near it."""
    pieces = [each.piece for each in found] if names else []
    asked, own = as_if(question, names, pieces), as_if(focus, names, pieces)
    if wish == "permission":
        found = [each for each in found if not is_elsewhere(each.piece, names)]
    return asked, _nearest_by_words(asked, own, found, wish)


def _nearest_by_words(
    question: str, focus: str, candidates: list[Candidate], wish: Wish
) -> list[Candidate]:
    """Return the pieces that share most words with a question, in sections for what it wants."""
    wanted = Words.of(question)
    own = Words.of(focus) if focus and focus != question else None
    found = [
        replace(each, forbids=wish == "steps" and forbidden(each.piece, focus or question))
        for each in candidates
    ]
    found = [each for each in found if each.piece.is_steps or not each.of_another]
    found = _right_rows(_asked_for(found, focus or question, wish), wanted)
    subject = _defining(focus or question)
    scored = [_by_words(each, wanted, own, wish, subject) for each in found]
    near = [each for each in scored if each.about or not each.piece.is_steps]
    return sorted(near, key=lambda each: (-each.score, each.passage))[:_COMPARED]


def _defining(question: str) -> re.Pattern[str] | None:
    """Return how a sentence begins that says what is asked for: `Kassa is`, `The reaper is`."""
    asked = _WHAT_IS.match(question)
    if not asked:
        return None
    name = re.escape(asked["name"])
    return re.compile(
        rf"(?:^|[.;:] )(?:the |an? )?\W{{0,2}}{name}\W{{0,2}} (?:is|are|means)\b", re.IGNORECASE
    )


def _by_words(
    found: Candidate,
    wanted: Words,
    own: Words | None,
    wish: Wish,
    subject: re.Pattern[str] | None,
) -> Candidate:
    held = frozenset(index_tokens(found.piece.words))
    heading = frozenset(index_tokens(found.heading))
    title = frozenset(index_tokens(found.title))
    worth = _WORTH[wish].get(found.role, 0.0) + _STEPS * (wish == "steps" and found.piece.is_steps)
    if worth < 0 and wanted.share(heading):
        worth = 0.0  # who asks for staging, wants what stands under it
    if found.forbids:
        worth = _FORBIDDEN
    near = (
        _WORDS * wanted.share(held)
        + _HEADING * wanted.share(heading)
        + _TITLE * wanted.share(title)
        + _FOCUS * (own.share(held | heading) if own else 0.0)
        + _NAMED * found.named
        + _FOUND * min(found.hits, 3)
        + _PAGE * found.of_name
        - _PAST * (found.of_past and wish in {"steps", "permission"})
        - _SEE * _only_names(found.piece)
        - _LATER * min(found.later, 5) * (wish == "steps")
        + _DEFINES * (subject is not None and subject.search(found.piece.text) is not None)
        - _ROW * (wish == "meaning" and found.piece.is_row and not found.named)
    )
    return replace(
        found,
        near=near,
        worth=worth,
        share=wanted.share(held | heading),
        first=found.role == "before" and wanted.share(heading) > 0,
        about=own is None or own.share(held | heading) > 0,
    )


def _only_names(piece: Piece) -> int:
    """Return how far a piece only names another page: 2 where nothing is left without its links."""
    if piece.text and not piece.is_row and not _LINKS.sub("", piece.text):
        return 2
    return int(_ELSEWHERE.match(piece.text) is not None)


def _asked_for(found: list[Candidate], question: str, wish: Wish) -> list[Candidate]:
    """Mark the rows that hold the fact that is asked for."""
    if wish != "fact":
        return found
    lookup = Lookup.of(question)
    return [
        each if each.of_past else replace(each, asked=tuple(lookup.asked(each.piece.columns)))
        for each in found
    ]


def _right_rows(found: list[Candidate], wanted: Words) -> list[Candidate]:
    """Keep only the rows that the question names, by a code or number or a cell, if any."""
    names = {token for token in wanted.tokens if re.search(r"\d", token)}
    marked = [
        replace(
            each,
            named=each.piece.is_row
            and bool(each.asked or names.intersection(index_tokens(each.piece.text))),
        )
        for each in found
    ]
    if not any(each.named for each in marked):
        return found
    return [each for each in marked if each.named or not each.piece.is_row]


def _joined(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Join the sentences of a paragraph or item that one marker may cover."""
    joined: list[Candidate] = []
    for each in chosen:
        last = joined[-1] if joined else None
        if last and not last.piece.is_steps and _goes_on(each, last):
            text = f"{last.piece.text} {each.piece.text}"
            if is_short(text):
                position = each.piece.position
                piece = replace(last.piece, text=text, block=each.piece.block, position=position)
                joined[-1] = replace(last, piece=piece)
                continue
        joined.append(each)
    return joined


def _goes_on(found: Candidate, before: Candidate | None) -> bool:
    """Say whether a piece goes on with the paragraph or item that the one before it is of."""
    return (
        before is not None
        and found.piece.goes_on
        and (found.passage, found.piece.position) == (before.passage, before.piece.position + 1)
    )


def _quote(found: Candidate, name: str, wish: Wish, *, within: bool) -> str:
    # A block without a sentence of its own is introduced by where it stands, not by advice.
    piece = found.piece
    said = rows.said(piece.columns, found.asked) if piece.is_row else piece.text
    lead = neutral(said or f"{' '.join((found.heading or found.title).split())}:")
    numbered = piece.number and piece.text and not piece.steps
    mark = "   -" if within and piece.number else f"{piece.number}." if numbered else "-"
    steps = "".join(f"\n   {neutral(step)} [{name}]" for step in piece.steps)
    block = f"\n\n{piece.block}\n" if piece.block else ""
    if wish != "steps" and piece.text and not piece.text.endswith(":"):
        block = ""  # the sentence says it
    return f"{mark} {lead} [{name}]{steps}{block}"
