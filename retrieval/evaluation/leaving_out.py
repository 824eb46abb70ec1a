"""The corpus as if some documents weren't there: what a question meets whose page is missing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from retrieval.connection import reading
from retrieval.store import Hit, Store
from retrieval.tokens import index_tokens
from schema.sql import load

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from retrieval.documents import Filters
    from retrieval.embedding import Vector
    from schema.database import Pool
    from schema.engines import Engine

__all__ = ["Corpus", "LeavingOut", "gathered", "read_corpus"]

_QUERIES: Final = load("retrieval.evaluation", "queries.sql")

_ALIKE: Final = 0.6
"""The share of two documents' distinct tokens that they have in common. Of the public runbooks,
copies of one page for two distributions lie above, pages on two components of a product below."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """All documents by source: their chunks' ids, their distinct tokens, their services."""

    chunks: Mapping[str, tuple[str, ...]]
    tokens: Mapping[str, frozenset[str]]
    services: Mapping[str, str]

    def with_twins(self, sources: Collection[str]) -> frozenset[str]:
        """Return these documents, those named like them, and those that say nearly the same."""
        found = set(sources)
        for source in sources:
            name = PurePosixPath(source).stem.casefold()
            mine = self.tokens[source]
            for other, theirs in self.tokens.items():
                if PurePosixPath(other).stem.casefold() == name or _alike(mine, theirs):
                    found.add(other)
        return frozenset(found)


class LeavingOut(Store):
    """A store whose searches don't find some chunks, and find as many others in their place."""

    def __init__(self, pool: "Pool", engine: "Engine", chunk_ids: Collection[str]) -> None:
        super().__init__(pool, engine)
        self._left_out: frozenset[str] = frozenset(chunk_ids)

    async def search_vectors(
        self, vector: "Vector", filters: "Filters", limit: int = 20
    ) -> list[Hit]:
        """Return the nearest of the others."""
        found = await super().search_vectors(vector, filters, limit + len(self._left_out))
        return self._others(found, limit)

    async def search_keywords(
        self, tokens: Sequence[str], filters: "Filters", limit: int = 20
    ) -> list[Hit]:
        """Return the best of the others."""
        found = await super().search_keywords(tokens, filters, limit + len(self._left_out))
        return self._others(found, limit)

    def _others(self, found: Sequence[Hit], limit: int) -> list[Hit]:
        return [hit for hit in found if hit.chunk_id not in self._left_out][:limit]


async def read_corpus(pool: "Pool") -> list[tuple[str, str, str, str]]:
    """Return every public chunk: source, id, service, and its text after its context."""

    async def ask(connection: "AsyncConnection[Any]") -> list[Any]:
        return await (await connection.execute(_QUERIES["public_chunks"])).fetchall()

    return await reading(pool, ask)


def gathered(rows: Sequence[tuple[str, str, str, str]]) -> Corpus:
    """Put chunks together to documents. It takes seconds for thousands."""
    chunks: dict[str, list[str]] = {}
    tokens: dict[str, set[str]] = {}
    services: dict[str, str] = {}
    for source, chunk_id, service, text in rows:
        chunks.setdefault(source, []).append(chunk_id)
        tokens.setdefault(source, set()).update(index_tokens(text))
        services[source] = service
    return Corpus(
        {source: tuple(ids) for source, ids in chunks.items()},
        {source: frozenset(each) for source, each in tokens.items()},
        services,
    )


def _alike(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    # The smaller of two sets bounds what they can have in common.
    if min(len(mine), len(theirs)) < _ALIKE * max(len(mine), len(theirs)):
        return False
    return len(mine & theirs) >= _ALIKE * len(mine | theirs)
