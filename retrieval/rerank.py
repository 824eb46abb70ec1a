"""The last ordering of what a search found: what a reranker is, and the one that does nothing."""

from collections.abc import Sequence
from typing import Protocol

from retrieval.documents import Passage

__all__ = ["KeepOrder", "Reranker"]


class Reranker(Protocol):
    """Orders passages by how well they answer a query."""

    @property
    def name(self) -> str:
        """The reranker's name, for the step log."""
        ...

    async def rerank(self, query: str, passages: Sequence[Passage]) -> list[Passage]:
        """Return the same passages, best first.

        Raises:
            RerankerDown: it doesn't answer in time; the search then keeps the fused order.
        """
        ...


class KeepOrder:
    """Keeps the fused order: nothing bundled has been shown to beat it."""

    name: str = "keep-order"

    async def rerank(self, query: str, passages: Sequence[Passage]) -> list[Passage]:
        """Return the passages as they came."""
        del query
        return list(passages)
