"""How sure a search may be that what it found answers the question. Pure.

Distance alone tells another product's question from ours, and hardly tells a question whose
page is missing from one whose page is there. Together with what the keywords say it tells both
better. The weights come from a logistic regression over the calibration half of the questions on
public runbooks (tests/evals/runbooks.yaml) and those on the sample runbooks, where a question with
its pages left out counts half. That of `unnamed` is given, not fitted: heavy enough that a question
about an error code which no page has is refused beside a table of error codes. On the test half and
the later questions, by which it was chosen too, it made false answers where the page is missing
24 % instead of 30 %, and cost one answer of 90. `footnote eval calibrate` draws the curves.
"""

from collections.abc import Callable, Iterable, Sequence
from math import exp, log, sqrt
from typing import Final

from retrieval.boilerplate import is_boilerplate
from retrieval.documents import Passage, Signals
from retrieval.gate import passage_tokens
from retrieval.names import unnamed
from retrieval.quoting import has_codes, quotes
from retrieval.words import Words

__all__ = ["CONFIDENCE_VERSION", "confidence", "signals_of"]

CONFIDENCE_VERSION: Final = 3
"""A threshold belongs to one version of the formula: raise it with any change below."""

_BIAS: Final = -4.25
_WEIGHTS: Final = Signals(
    distance=-4.24,
    strength=2.9,
    coverage=2.7,
    keyword_lead=0.85,
    distance_lead=9.7,
    title=2.3,
    unnamed=-3.0,
)

_PLACE: Final = 4
_COVERING: Final = 10  # passages that may hold most of the words: the best by these words
# What the leads usually are, for a scope of fewer than four documents, where there is none to see.
_USUAL_KEYWORD_LEAD: Final = 0.32
_USUAL_DISTANCE_LEAD: Final = 0.09


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
    telling = [each for each in found if not is_boilerplate(each.text)] or list(found)
    first = telling[:_PLACE]
    by_keyword = sorted(_best(found, lambda each: each.keyword_score or 0.0, max), reverse=True)
    by_distance = sorted(
        _best([each for each in found if each.distance is not None], _distance, min)
    )
    keyword_lead, distance_lead = _USUAL_KEYWORD_LEAD, _USUAL_DISTANCE_LEAD
    if len(by_keyword) >= _PLACE:
        keyword_lead = (score - by_keyword[_PLACE - 1]) / score if score else 0.0
    if len(by_distance) >= _PLACE:
        distance_lead = by_distance[_PLACE - 1] - by_distance[0]
    texts = [f"{each.context}\n{each.text}" for each in (*first, *by_score[:1])]
    return Signals(
        distance=distance,
        strength=score / (sqrt(max(len(tokens), 1)) * log(2 + chunks)),
        coverage=max(
            (asked.share(passage_tokens(each)) for each in by_score[:_COVERING]), default=0.0
        ),
        keyword_lead=keyword_lead,
        distance_lead=distance_lead,
        title=max((Words.of(each.title).share(asked.tokens) for each in first), default=0.0),
        unnamed=unnamed(question, (f"{each.context}\n{each.title}\n{each.text}" for each in first)),
        quoted=any(quotes(question, text) for text in texts),
        coded=any(has_codes(question, text) for text in texts),
    )


def confidence(signals: Signals) -> float:
    """Return how sure (0 to 1) a search may be; 1 for a quotation."""
    if signals.quoted:
        return 1.0
    total = _BIAS + (
        _WEIGHTS.distance * signals.distance
        + _WEIGHTS.strength * signals.strength
        + _WEIGHTS.coverage * signals.coverage
        + _WEIGHTS.keyword_lead * signals.keyword_lead
        + _WEIGHTS.distance_lead * signals.distance_lead
        + _WEIGHTS.title * signals.title
        + _WEIGHTS.unnamed * signals.unnamed
    )
    return 1 / (1 + exp(-total))


def _distance(passage: Passage) -> float:
    return passage.distance if passage.distance is not None else 2.0


def _best(
    found: Iterable[Passage],
    value: Callable[[Passage], float],
    better: Callable[[float, float], float],
) -> list[float]:
    """Return the best value of each document."""
    by_document: dict[str, float] = {}
    for each in found:
        of = value(each)
        by_document[each.document_id] = better(by_document.get(each.document_id, of), of)
    return list(by_document.values())
