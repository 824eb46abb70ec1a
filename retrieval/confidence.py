"""How sure a search may be that what it found answers the question. Pure.

Distance alone tells another product's question from ours, and hardly tells a question whose
page is missing from one whose page is there. Together with what the keywords say it tells both
better, and best when the first passages are read token by token (`retrieval.late_interaction`),
which is done where the rest leaves doubt.
The weights come from a logistic regression over tests/evals/runbooks-weighing.yaml, the
calibration half of tests/evals/runbooks.yaml and the questions on the sample runbooks, where a
question with its pages left out counts half, and a quotation not at all, nor a short question with
its pages left out, whose labels nobody has completed. Signals that added nothing there,
cross-validated, have no weight; thirty others were tried and left. `footnote eval calibrate` draws
the curves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Final

from retrieval.documents import Passage, Signals
from retrieval.gate import passage_tokens
from retrieval.names import unnamed
from retrieval.placing import content, telling
from retrieval.quoting import has_codes, quotes
from retrieval.words import Words

__all__ = ["CONFIDENCE_VERSION", "confidence", "in_doubt", "signals_of"]

CONFIDENCE_VERSION: Final = 4
"""A threshold belongs to one version of the formula: raise it with any change below."""


@dataclass(frozen=True, slots=True)
class _Formula:
    """What is added up: each signal by its weight."""

    bias: float
    strength: float
    distance_lead: float
    title: float
    unnamed: float
    words: float
    distance: float = 0.0
    coverage: float = 0.0
    maxsim: float = 0.0

    def total(self, signals: Signals) -> float:
        return (
            self.bias
            + self.strength * signals.strength
            + self.distance_lead * signals.distance_lead
            + self.title * signals.title
            + self.unnamed * signals.unnamed
            + self.words * signals.words
            + self.distance * signals.distance
            + self.coverage * signals.coverage
            + self.maxsim * (signals.maxsim or 0.0)
        )


_READ: Final = _Formula(
    bias=-11.97,
    strength=3.29,
    distance_lead=6.3,
    title=1.52,
    unnamed=-3.7,
    words=0.163,
    maxsim=11.02,
)
# As far as one sees without, and for an embedder that gives the vectors of whole texts only.
_UNREAD: Final = _Formula(
    bias=-4.97,
    strength=4.55,
    distance_lead=6.59,
    title=1.67,
    unnamed=-4.31,
    words=0.081,
    distance=-4.68,
    coverage=2.57,
)

# Beyond these, reading changed no outcome at any threshold in use, cross-validated; 62 % of the
# questions with an answer are, and 57 % of those about other matters.
_SURELY_NOT: Final = 0.05
_SURELY: Final = 0.9

_PLACE: Final = 4
_MOST_WORDS: Final = 12
_COVERING: Final = 10  # passages that may hold most of the words: the best by these words
# What the lead usually is, for a scope of fewer than four documents, where there is none to see.
_USUAL_LEAD: Final = 0.09


def signals_of(
    question: str, tokens: Sequence[str], found: Sequence[Passage], distance: float, chunks: int
) -> Signals:
    """Return the signals of what a search found, in its fused order.

    `tokens` are the question's most telling ones, `distance` is that of the nearest telling chunk,
    `chunks` how many there are in the corpus, about: rare words weigh more where there are many.
    """
    asked = Words.of(question)
    by_score = sorted(found, key=lambda each: -(each.keyword_score or 0.0))
    score = (by_score[0].keyword_score or 0.0) if by_score else 0.0
    first = telling(found)[:_PLACE]
    nearest = sorted(_nearest_of_each_document(found))
    texts = [content(each) for each in (*first, *by_score[:1])]
    return Signals(
        distance=distance,
        strength=score / (sqrt(max(len(tokens), 1)) * log(2 + chunks)),
        coverage=max(
            (asked.share(passage_tokens(each)) for each in by_score[:_COVERING]), default=0.0
        ),
        distance_lead=nearest[_PLACE - 1] - nearest[0] if len(nearest) >= _PLACE else _USUAL_LEAD,
        title=max((Words.of(each.title).share(asked.tokens) for each in first), default=0.0),
        unnamed=unnamed(question, (f"{each.context}\n{each.title}\n{each.text}" for each in first)),
        words=min(len(asked.wanted), _MOST_WORDS),
        quoted=any(quotes(question, text) for text in texts),
        coded=any(has_codes(question, text) for text in texts),
    )


def confidence(signals: Signals) -> float:
    """Return how sure (0 to 1) a search may be; 1 for a quotation."""
    if signals.quoted:
        return 1.0
    read = signals.maxsim is not None and in_doubt(signals)
    return _logistic((_READ if read else _UNREAD).total(signals))


def in_doubt(signals: Signals) -> bool:
    """Say whether what the first passages say, token by token, makes a difference."""
    return not signals.quoted and _SURELY_NOT < _logistic(_UNREAD.total(signals)) < _SURELY


def _logistic(total: float) -> float:
    return 1 / (1 + exp(-total))


def _nearest_of_each_document(found: Iterable[Passage]) -> list[float]:
    """Return the distance of the nearest passage of each document."""
    nearest: dict[str, float] = {}
    for each in found:
        if each.distance is not None:
            of_document = nearest.get(each.document_id, each.distance)
            nearest[each.document_id] = min(of_document, each.distance)
    return list(nearest.values())
