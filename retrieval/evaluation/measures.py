"""How good rankings are, counted by ir_measures as trec_eval does, with bootstrap intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["MEASURES", "Figure", "difference", "figure", "per_case"]

MEASURES: Final = ("hit@1", "hit@4", "recall@4", "recall@20", "nDCG@10", "MRR")

_RESAMPLES: Final = 2_000
_SEED: Final = 20


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean, and where 95 % of the means of resampled cases lie."""

    value: float
    low: float
    high: float


def per_case(
    rankings: Mapping[str, Sequence[str]], relevant: Mapping[str, Sequence[str]]
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the value of each case by measure, in the order of `relevant`.

    A case whose search found nothing counts as 0.
    """
    # Imported here: it takes a quarter of a second, and the bot never needs it.
    import ir_measures  # noqa: PLC0415 - the reason stands above
    from ir_measures import RR, R, Success, nDCG  # noqa: PLC0415 - the same

    wanted: dict[str, Any] = {
        "hit@1": Success @ 1,
        "hit@4": Success @ 4,
        "recall@4": R @ 4,
        "recall@20": R @ 20,
        "nDCG@10": nDCG @ 10,
        "MRR": RR,
    }
    # Strictly falling scores: what the order of equal ones is differs between libraries.
    run = {
        case: {document: -float(place) for place, document in enumerate(ranked)}
        for case, ranked in rankings.items()
    }
    judged = {case: dict.fromkeys(documents, 1) for case, documents in relevant.items()}
    place = {case: n for n, case in enumerate(relevant)}
    values = {name: np.zeros(len(relevant)) for name in MEASURES}
    names = {measure: name for name, measure in wanted.items()}
    for metric in ir_measures.iter_calc(list(wanted.values()), judged, run):
        values[names[metric.measure]][place[metric.query_id]] = metric.value
    return values


def figure(values: npt.NDArray[np.float64]) -> Figure:
    """Return the mean of some cases' values, with its interval."""
    if not len(values):
        return Figure(0.0, 0.0, 1.0)
    means = _resampled(values)
    low, high = np.percentile(means, [2.5, 97.5])
    return Figure(float(values.mean()), float(low), float(high))


def difference(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> Figure:
    """Return how much better one search does than another, case by case."""
    return figure(one - other)


def _resampled(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    drawn = np.random.default_rng(_SEED).integers(0, len(values), (_RESAMPLES, len(values)))
    return values[drawn].mean(axis=1)
