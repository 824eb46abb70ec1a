"""The SQL of ingest and search.

Each method takes a connection from the pool for as long as it runs, so searches side by side
have one each.
"""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from retrieval.calibration import InForce, in_force
from retrieval.connection import connected, reading, storable
from retrieval.documents import Filters, Passage, Section
from retrieval.section import REACH, Placed, page_of, section_of
from retrieval.shelf import Kind, kinds
from retrieval.writing import Ready, refuse_other, write
from schema.engines import Engine, Repair
from schema.sql import load

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from retrieval.embedding import Vector
    from retrieval.prepared import PreparedChunk, PreparedDocument
    from schema.database import Pool

__all__ = ["Hit", "Kind", "Store", "Stored"]

_LOCK_TRIES: Final = 300
_LOCK_PAUSE: Final = 0.2  # seconds
_LOOK_AGAIN: Final = 60.0  # seconds
_REMEMBERED: Final = 1000
_EVERYTHING: Final = Filters()
_QUERIES: Final = load("retrieval", "queries.sql")


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found, and its cosine distance or BM25 score."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Stored:
    """What an ingest has to know of a document that is stored."""

    hash: str
    collection: str | None


class Store:
    """The corpus in PostgreSQL.

    `exact_up_to` is how many chunks may match for all their vectors to be compared; of more the
    nearest are looked up in the index on the vectors, once there is one.
    """

    def __init__(self, pool: "Pool", engine: Engine, *, exact_up_to: int = 10_000) -> None:
        self._pool: Pool = pool
        self._engine: Engine = engine
        self._exact_up_to: int = exact_up_to
        self._many: dict[Filters, tuple[float, bool]] = {}

    async def search_vectors(
        self, vector: "Vector", filters: Filters, limit: int = 20
    ) -> list[Hit]:
        """Return the nearest chunks, nearest first, with their cosine distances (0 to 2).

        Exactly, unless more than `exact_up_to` match and there is an index on the vectors.
        """
        parameters = {
            **_filter_parameters(filters),
            "vector": vector,
            "limit": limit,
            "exact_up_to": self._exact_up_to,
        }

        async def ask(connection: "AsyncConnection[Any]") -> list[Any]:
            rows: list[Any] = []
            if await self._many_match(connection, filters, parameters):
                async with connection.pipeline(), connection.transaction():
                    await connection.execute(self._engine.near_settings, parameters)
                    cursor = await connection.execute(_QUERIES["search_vectors_nearly"], parameters)
                    rows = await cursor.fetchall()
            # An index that gives up early leaves some out, though so many match.
            if len(rows) < limit:
                cursor = await connection.execute(_QUERIES["search_vectors"], parameters)
                rows = await cursor.fetchall()
            return rows

        return [Hit(chunk_id, distance) for chunk_id, distance in await reading(self._pool, ask)]

    async def _many_match(
        self,
        connection: "AsyncConnection[Any]",
        filters: Filters,
        parameters: Mapping[str, object],
    ) -> bool:
        """Tell whether to look into the index; either way finds, so it may be a minute old."""
        asked, many = self._many.get(filters, (-_LOOK_AGAIN, False))
        now = time.monotonic()
        if now - asked >= _LOOK_AGAIN:
            cursor = await connection.execute(_QUERIES["many_match"], parameters)
            many = await cursor.fetchone() == (True,)
            if len(self._many) >= _REMEMBERED:
                self._many.clear()
            self._many[filters] = now, many
        return many

    async def search_keywords(
        self, tokens: Sequence[str], filters: Filters, limit: int = 20
    ) -> list[Hit]:
        """Return the best chunks by BM25, best first; no tokens find nothing."""
        if not tokens:
            return []
        parameters = {**_filter_parameters(filters), "tokens": " ".join(tokens), "limit": limit}
        rows = await self._fetch(self._engine.search_keywords, parameters)
        # The index counts in single precision: what differs by less is equal, and goes by id.
        hits = [Hit(chunk_id, round(score, 4)) for chunk_id, score in rows]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))

    async def passages(
        self, chunk_ids: Collection[str], vector: "Vector | None" = None
    ) -> dict[str, Passage]:
        """Return the chunks of these ids that still exist, with their distances to a vector.

        Without ranks and scores.
        """
        if not chunk_ids:
            return {}
        parameters = {"ids": list(chunk_ids), "vector": vector}
        rows = await self._fetch(_QUERIES["passages"], parameters)
        return {row[0]: Passage(*row[:-1], distance=row[-1]) for row in rows}

    async def section(self, chunk_id: str, filters: Filters, *, longest: int) -> Section | None:
        """Return what stands around a chunk, up to about so many characters.

        None when there is no such chunk, or a search with these filters couldn't find it.
        """
        placed = await self._around(chunk_id, filters)
        return section_of(placed, chunk_id, longest=longest) if placed else None

    async def page(self, chunk_id: str, filters: Filters) -> tuple[Passage, ...]:
        """Return a chunk with those before and after it, a dozen at most, in their order.

        Nothing when there is no such chunk, or a search with these filters couldn't find it.
        """
        return page_of(await self._around(chunk_id, filters))

    async def _around(self, chunk_id: str, filters: Filters) -> list[Placed]:
        parameters = {**_filter_parameters(filters), "id": storable(chunk_id), "reach": REACH}
        rows = await self._fetch(_QUERIES["around"], parameters)
        return [Placed(at, start, end, Passage(*row)) for at, start, end, *row in rows]

    async def stored(self, document_ids: Collection[str]) -> dict[str, Stored]:
        """Return those of these documents that are stored."""
        rows = await self._fetch(_QUERIES["stored_documents"], {"ids": list(document_ids)})
        return {row[0]: Stored(row[1], row[2]) for row in rows}

    async def collected(
        self, team: str | None, audience: str | None, collection: str
    ) -> dict[str, str]:
        """Return the ids of the documents that came from one folder, with their sources."""
        parameters = {"team": team, "audience": audience, "collection": storable(collection)}
        return dict(await self._fetch(_QUERIES["collected"], parameters))

    async def take_over(self, document_ids: Collection[str], collection: str | None) -> int:
        """Note that these documents now come from another folder, or from none."""
        parameters = {"ids": list(document_ids), "collection": storable(collection)}
        return await self._execute(_QUERIES["take_over"], parameters)

    async def claim_embedder(self, name: str) -> None:
        """Note whose vectors the corpus has, once there are any.

        Raises:
            OtherEmbedder: it has those of another embedder.
        """
        ((owner,),) = await self._fetch(_QUERIES["claim_embedder"], {"embedder": name})
        refuse_other(owner, name)

    async def in_force(self, embedder: str, reranker: str) -> InForce:
        """Return the gates that were calibrated for an embedder, and the corpus' size, about."""
        return await in_force(self._pool, embedder, reranker)

    async def counts(self) -> tuple[int, int]:
        """Return how many documents and how many chunks there are."""
        ((documents, chunks),) = await self._fetch(_QUERIES["counts"], {})
        return documents, chunks

    async def kinds(self, filters: Filters = _EVERYTHING) -> list[Kind]:
        """Return what a search with these rights could find; services and doc_types don't count."""
        audiences = () if filters.audience is None else (filters.audience,)
        return await reading(self._pool, lambda opened: kinds(opened, filters.team, audiences))

    async def chunks_to_embed(
        self, documents: Sequence["PreparedDocument"]
    ) -> list[list["PreparedChunk"]]:
        """Return the chunks of each document that are not stored as they are now."""
        ids = [prepared.id for prepared in documents]
        stored = dict(await self._fetch(_QUERIES["chunk_hashes"], {"documents": ids}))
        return [
            [piece for piece in prepared.chunks if stored.get(piece.chunk.id) != piece.hash]
            for prepared in documents
        ]

    async def write(
        self, documents: "Sequence[Ready]", embedder: str | None = None
    ) -> list[int | None]:
        """Store documents, all in one transaction; return the number of chunks written of each.

        Chunks stored with the same hash keep their rows. None comes back for a document, and
        nothing of it is written, when a vector is lacking because another writer changed it
        meanwhile.

        Raises:
            OtherEmbedder: the corpus no longer has the vectors of this embedder.
        """
        if self._engine.insert_words is not None:
            tokens = [
                piece.tokens
                for each in documents
                for piece in each.prepared.chunks
                if piece.chunk.id in each.vectors
            ]
            await self._execute(self._engine.insert_words, {"tokens": tokens})
        async with connected(self._pool) as connection, connection.transaction():
            return await write(connection, self._engine, documents, embedder)

    async def delete(self, document_ids: Collection[str]) -> int:
        """Remove documents with their chunks; return how many there were."""
        return await self._execute(_QUERIES["delete_documents"], {"ids": list(document_ids)})

    async def maintain(self) -> None:
        """Bring the indexes in order after an ingest; searches go on meanwhile.

        One at a time: a VACUUM and a rebuild that waits for older transactions would wait for
        each other. Who has waited a minute leaves it to the one who is at it.
        """
        async with connected(self._pool) as connection:
            if not await _alone(connection):
                return
            try:
                await connection.execute(self._engine.maintain)
                for repair in self._engine.repairs:
                    await _mend(connection, repair)
            finally:
                self._many.clear()
                if not connection.closed:
                    await connection.execute(_QUERIES["maintain_unlock"])

    async def _fetch(self, query: Any, parameters: Mapping[str, object]) -> list[Any]:
        async def ask(connection: "AsyncConnection[Any]") -> list[Any]:
            cursor = await connection.execute(query, parameters)
            return await cursor.fetchall()

        return await reading(self._pool, ask)

    async def _execute(self, query: Any, parameters: Mapping[str, object]) -> int:
        async with connected(self._pool) as connection:
            cursor = await connection.execute(query, parameters or None)
            return cursor.rowcount


async def _alone(connection: "AsyncConnection[Any]") -> bool:
    """Take the lock of maintenance, asking again and again.

    A statement that waited for the lock would hold a transaction open, and the rebuild waits
    for those.
    """
    for _ in range(_LOCK_TRIES):
        cursor = await connection.execute(_QUERIES["maintain_lock"])
        if await cursor.fetchone() == (True,):
            return True
        await asyncio.sleep(_LOCK_PAUSE)
    return False


async def _mend(connection: "AsyncConnection[Any]", repair: Repair) -> None:
    cursor = await connection.execute(repair.due)
    if await cursor.fetchone() != (True,):
        return
    try:
        for step in repair.steps:
            await connection.execute(step)
    finally:
        if repair.done is not None and not connection.closed:
            await connection.execute(repair.done)


def _filter_parameters(filters: Filters) -> dict[str, object]:
    return {
        "services": [storable(name) for name in filters.services] or None,
        "doc_types": [storable(name) for name in filters.doc_types] or None,
        "team": storable(filters.team),
        "audience": storable(filters.audience),
    }
