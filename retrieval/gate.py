"""The gate: does what a search found answer the question at all? Pure."""

from collections.abc import Iterable
from typing import Final

__all__ = [
    "DEFAULT_MAX_DISTANCE",
    "DEFAULT_MIN_COVERAGE",
    "coverage",
    "refuses_coverage",
    "refuses_distance",
]

# For the bundled MiniLM. Provisional: over 447 public runbooks the nearest chunk of 12 questions
# with an answer was at .22 to .55, and that of 7 without one at .61 to .71, but for a question on
# a product that a runbook mentions in passing (.49), which no distance tells apart. This is the
# middle of the gap; nineteen questions prove little.
DEFAULT_MAX_DISTANCE: Final = 0.58

# Provisional: half of what was asked must stand in one chunk.
DEFAULT_MIN_COVERAGE: Final = 0.5


def refuses_distance(best: float | None, maximum: float) -> bool:
    """Say whether the nearest chunk (cosine distance, 0 to 2) is too far to hold an answer."""
    return best is None or best > maximum


def coverage(asked: Iterable[str], found: Iterable[str]) -> float:
    """Return the share (0 to 1) of the query's distinct tokens that a chunk holds."""
    wanted = frozenset(asked)
    return len(wanted.intersection(found)) / len(wanted) if wanted else 0.0


def refuses_coverage(best: float, minimum: float = DEFAULT_MIN_COVERAGE) -> bool:
    """Say whether the chunk with the most of the query's words has too few of them."""
    return best < minimum
