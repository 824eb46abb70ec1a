"""Speed of a search without model calls, stage by stage."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from retrieval.documents import Filters
from retrieval.search import Search
from retrieval.store import Store
from tests.bench.synthetic import SyntheticEmbedder, questions

__all__ = ["STAGES", "cells", "timed_searches"]

STAGES = ("vector", "keyword", "fuse", "hydrate", "total")

type Spent = Mapping[str, Sequence[float]]
"""The milliseconds of each stage, by query."""


async def timed_searches(store: Store, count: int, filters: Filters) -> Spent:
    """Ask so many questions, one after the other."""
    search = Search(store, SyntheticEmbedder(), max_distance=2.0)
    spent: dict[str, list[float]] = defaultdict(list)
    for text in questions(count):
        for stage, took in (await search.search(text, filters)).timings_ms.items():
            spent[stage].append(took)
    return spent


def cells(spent: Spent) -> Sequence[str]:
    """Return p50 and p95 of each stage."""
    return [
        f"{np.percentile(spent[stage], 50):.1f} / {np.percentile(spent[stage], 95):.1f}"
        for stage in STAGES
    ]
