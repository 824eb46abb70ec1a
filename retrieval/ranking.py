"""Pure fusion of rankings: scores of different searches can't be compared, places can."""

from collections.abc import Iterable, Sequence
from math import fsum

__all__ = ["reciprocal_rank_fusion"]


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[str]], k: int = 60
) -> list[tuple[str, float]]:
    """Merge rankings of ids, best first, into one: (id, sum of 1 / (k + rank)), best first.

    Ranks count from 1; an id that one ranking holds twice counts at its better place. Of equal
    scores the one first seen comes first, reading the rankings in order, so the result depends
    on nothing but the arguments.

    Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
    individual Rank Learning Methods", SIGIR 2009, which also found k = 60.
    """
    shares: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, name in enumerate(dict.fromkeys(ranking), start=1):
            shares.setdefault(name, []).append(1 / (k + rank))
    # fsum, so that equal places give equal scores in whatever order they are added.
    scores = [(name, fsum(parts)) for name, parts in shares.items()]
    return sorted(scores, key=lambda scored: -scored[1])
