"""What two searches brought: placed in one order, cut to what is shown. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from retrieval.boilerplate import is_boilerplate
from retrieval.documents import Near, Passage
from retrieval.gate import passage_tokens
from retrieval.ranking import reciprocal_rank_fusion
from retrieval.words import Words

__all__ = [
    "best_coverage",
    "best_distance",
    "content",
    "distinct",
    "kept",
    "nearest",
    "placed",
    "telling",
]

_KEPT: Final = 4
_NEAREST: Final = 3


def placed(
    found: Mapping[str, Passage], by_keyword: Mapping[str, float]
) -> tuple[list[Passage], list[Passage]]:
    """Return the passages nearest first, and in the order of the fusion, with all their places.

    `by_keyword` has the keyword scores of chunks, the best first. Each ranking holds what the other
    one brought too, and nothing else.
    """
    distances = sorted(
        (each.distance, chunk_id) for chunk_id, each in found.items() if each.distance is not None
    )
    by_distance = [chunk_id for _, chunk_id in distances]
    scores = {each: score for each, score in by_keyword.items() if each in found}
    near = {chunk_id: rank for rank, chunk_id in enumerate(by_distance, start=1)}
    matching = {chunk_id: rank for rank, chunk_id in enumerate(scores, start=1)}
    fused = {
        chunk_id: replace(
            found[chunk_id],
            vector_rank=near.get(chunk_id),
            keyword_rank=matching.get(chunk_id),
            keyword_score=scores.get(chunk_id),
            rrf_score=rrf_score,
        )
        for chunk_id, rrf_score in reciprocal_rank_fusion([by_distance, list(scores)])
    }
    return [fused[chunk_id] for chunk_id in by_distance], list(fused.values())


def best_distance(by_distance: Sequence[Passage]) -> float | None:
    """Return the distance of the nearest passage that tells something, else of the nearest.

    A table of contents is near to whatever it names, and answers none of it.
    """
    distances = (each.distance for each in by_distance if not is_boilerplate(each.text))
    return next(distances, by_distance[0].distance if by_distance else None)


def telling(passages: Sequence[Passage]) -> list[Passage]:
    """Return those that say something themselves; all of them where none does."""
    return [each for each in passages if not is_boilerplate(each.text)] or list(passages)


def content(passage: Passage) -> str:
    """Return a passage's text after where it stands, as it was embedded."""
    return f"{passage.context}\n{passage.text}"


def best_coverage(text: str, passages: Sequence[Passage]) -> float:
    """Return the most of a text's words (0 to 1) that one passage has."""
    asked = Words.of(text)
    return max((asked.share(passage_tokens(each)) for each in passages), default=0.0)


def distinct(passages: Sequence[Passage]) -> list[Passage]:
    """Drop passages that say byte for byte what an earlier one says."""
    by_text: dict[str, Passage] = {}
    for passage in passages:
        by_text.setdefault(passage.text, passage)
    return list(by_text.values())


def kept(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the first that say something themselves, then tables of contents, links, badges."""
    first = list(islice((each for each in passages if not is_boilerplate(each.text)), _KEPT))
    others = (each for each in passages if each not in first)
    return (*first, *islice(others, _KEPT - len(first)))


def nearest(passages: Sequence[Passage]) -> tuple[Near, ...]:
    """Return the documents of the first passages."""
    by_document: dict[str, Near] = {}
    for each in passages:
        near = Near(each.title, each.source, each.service, each.link, each.distance)
        by_document.setdefault(each.document_id, near)
    return tuple(by_document.values())[:_NEAREST]
