"""The candidates of an answer: the pieces of passages, and what each page tells of them. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.choosing import Candidate
from bot.pages import PAGES
from bot.pieces import Piece, pieces_of
from bot.wishes import Role, role_of
from retrieval.documents import Passage
from retrieval.names import bare, codes_in, holds, names_in

__all__ = ["candidates_of"]

_PAST_TITLE = re.compile(r"post-?mortem\b|.*\bpost-?mortem\b.*\d{4}", re.IGNORECASE)


def candidates_of(
    passages: Sequence[Passage], question: str, codes: Sequence[str]
) -> list[Candidate]:
    """Return the pieces of all passages; what chunks share is there once."""
    names = {bare(name) for name in names_in(question)}
    found: dict[tuple[object, ...], Candidate] = {}
    hits = Counter(each.document_id for each in passages if each.rrf_score)
    steps: Counter[tuple[str, Role]] = Counter()
    for number, (passage, cut) in enumerate(zip(passages, _cut(passages), strict=True)):
        for piece in cut:
            role = role_of(piece.path)
            each = Candidate(
                piece,
                number,
                passage.document_id,
                passage.title,
                piece.heading if piece.path[1:] else "",
                role,
                hits[passage.document_id],
                steps[passage.document_id, role],
                of_past=_PAST_TITLE.match(f"{passage.doc_type} {passage.title}") is not None,
                of_name=_bears(names, passage.title, piece, role),
            )
            # The same words may be a step of two procedures.
            step = (*piece.path, piece.number) if piece.number else ()
            if found.setdefault((passage.document_id, piece.words, step), each) is each:
                steps[passage.document_id, role] += piece.is_steps
    named = {each.document for each in found.values() if each.of_name}
    marked = [replace(each, of_name=each.document in named) for each in found.values()]
    return _of_codes(marked, codes)


def _cut(passages: Sequence[Passage]) -> list[list[Piece]]:
    """Return the pieces of each passage.

    Pages come first and whole: there a chunk goes on under the heading at the end of the one before
    it, if it is of the same sections.
    """
    whole = list(dict.fromkeys(each.document_id for each in passages))[:PAGES]
    cut: list[list[Piece]] = []
    for before, passage in zip([None, *passages], passages, strict=False):
        goes_on = (
            before is not None
            and passage.document_id in whole
            and (before.document_id, before.context) == (passage.document_id, passage.context)
        )
        cut.append(pieces_of(passage, cut[-1][-1].path if goes_on and cut[-1] else ()))
    return cut


def _bears(names: set[str], title: str, piece: Piece, role: Role) -> bool:
    """Say whether a page bears one of some names: as its title or heading, or where it begins."""
    if not names.isdisjoint(map(bare, (title, *piece.path))):
        return True
    return role == "intro" and any(name in bare(piece.text) for name in names)


def _of_codes(found: list[Candidate], codes: Sequence[str]) -> list[Candidate]:
    """Mark the sentences about other codes, where there are some about those asked for."""

    def about(each: Candidate) -> bool:
        return any(holds(each.piece.words, code) for code in codes)

    if not any(map(about, found)):
        return found
    return [
        replace(each, of_another=not about(each) and bool(codes_in(each.piece.text)))
        for each in found
    ]
