"""The gates: does what a search found answer the question at all? Pure.

One looks at the distance before the reranker is asked, the other at how sure the search may be
after it. What they refuse above and below is measured by `footnote eval calibrate`.
"""

from dataclasses import dataclass
from typing import Final, Literal

from retrieval.documents import Passage
from retrieval.tokens import index_tokens

__all__ = [
    "DEFAULT_GATES",
    "DEFAULT_MIN_COVERAGE",
    "Gates",
    "Judge",
    "passage_tokens",
    "refuses_coverage",
    "refuses_distance",
    "refuses_value",
]

type Judge = Literal["confidence", "reranker"]
"""What the second gate looks at: the confidence of retrieval/confidence.py, or the best score of
the reranker."""


@dataclass(frozen=True, slots=True)
class Gates:
    """What is refused: a nearest chunk beyond `max_distance`, a judge's value below `minimum`.

    None: that gate is open.
    """

    max_distance: float | None
    minimum: float | None = None
    judge: Judge = "confidence"


DEFAULT_GATES: Final = Gates(max_distance=0.82, minimum=0.25)
"""For the bundled embedder, by the questions that confidence is weighed on: cross-validated, 95 %
of those with an answer pass and 4 % of those about other matters. Distance alone refuses only what
is farther than any answer of theirs, and than what few words ask for (`where is grafana`: .79)."""

# Provisional: half of what was asked must stand in one chunk. For a search without distances.
DEFAULT_MIN_COVERAGE: Final = 0.5


def refuses_distance(best: float | None, maximum: float | None) -> bool:
    """Say whether the nearest chunk (cosine distance, 0 to 2) is too far to hold an answer."""
    return best is None or (maximum is not None and best > maximum)


def refuses_value(value: float | None, minimum: float | None) -> bool:
    """Say whether a judge's value is too low; one that isn't there refuses nothing."""
    return value is not None and minimum is not None and value < minimum


def passage_tokens(passage: Passage) -> list[str]:
    """Return the tokens of a passage and of where it stands, in no particular order.

    One after the other: the › of a context would have the tokenizer read all of it the slow way.
    """
    return [*index_tokens(passage.text), *index_tokens(passage.context)]


def refuses_coverage(best: float, minimum: float = DEFAULT_MIN_COVERAGE) -> bool:
    """Say whether the chunk with the most of the query's words has too few of them."""
    return best < minimum
