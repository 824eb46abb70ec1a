"""Writing documents: what changed of each, in as few statements as one document takes.

All functions run in the caller's transaction, so a document is there whole or as it was before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from retrieval.connection import storable
from retrieval.errors import OtherEmbedder
from schema.sql import load

if TYPE_CHECKING:
    from psycopg import AsyncConnection

    from retrieval.embedding import Vector
    from retrieval.prepared import PreparedChunk, PreparedDocument
    from schema.engines import Engine

__all__ = ["Ready", "refuse_other", "write"]

_QUERIES: Final = load("retrieval", "queries.sql")

# Of the columns that `copy_chunks` and `copy_incoming` name, in their order.
_TYPES: Final = (
    *("text", "text", "text", "text", "text", "vector", "text", "int4", "int4", "int4"),
    *("text", "int4", "text", "text", "text", "text", "text"),
)


@dataclass(frozen=True, slots=True)
class Ready:
    """A document to be written, with the vectors, by chunk id, of the chunks that lack them."""

    prepared: "PreparedDocument"
    vectors: "Mapping[str, Vector]"


@dataclass(frozen=True, slots=True)
class _Change:
    """A document's chunks: those whose rows stay, and those that come."""

    ready: Ready
    kept: "Sequence[PreparedChunk]"
    fresh: "Sequence[PreparedChunk]"


async def write(
    connection: "AsyncConnection[Any]",
    engine: "Engine",
    documents: Sequence[Ready],
    embedder: str | None,
) -> list[int | None]:
    """Store documents, and return the number of chunks written of each.

    None, and nothing written, for a document that lacks a vector.

    Raises:
        OtherEmbedder: the corpus no longer has the vectors of this embedder.
    """
    ids = sorted(each.prepared.id for each in documents)
    async with connection.pipeline():
        await connection.execute(_QUERIES["lock_documents"], {"documents": ids})
        await connection.execute(_QUERIES["lock_corpus"])
        owner = await connection.execute(_QUERIES["embedder"])
        cursor = await connection.execute(_QUERIES["chunk_hashes"], {"documents": ids})
        if embedder is not None and (row := await owner.fetchone()):
            refuse_other(row[0], embedder)
        stored = dict(await cursor.fetchall())
    changes = [_change(each, stored) for each in documents]
    whole = [each for each in changes if each is not None]
    fresh = any(change.fresh for change in whole)
    async with connection.pipeline():
        await connection.execute(_QUERIES["upsert_documents"], _document_parameters(whole))
        kept = [piece for change in whole for piece in change.kept]
        if stored:
            parameters = {
                "documents": [change.ready.prepared.id for change in whole],
                "kept": [piece.chunk.id for piece in kept],
            }
            await connection.execute(_QUERIES["delete_other_chunks"], parameters)
        if kept:
            await connection.execute(_QUERIES["update_chunks"], _place_parameters(kept))
        if fresh and engine.insert_chunks is not None:
            await connection.execute(_QUERIES["make_incoming"])
    if fresh:
        copy_chunks = engine.copy_chunks or _QUERIES["copy_incoming"]
        async with connection.cursor() as rows, rows.copy(copy_chunks) as copy:
            copy.set_types(_TYPES)
            for row in _rows(whole):
                await copy.write_row(row)
    if fresh and engine.insert_chunks is not None:
        await connection.execute(engine.insert_chunks)
    return [None if change is None else len(change.fresh) for change in changes]


def refuse_other(owner: str, embedder: str) -> None:
    """Refuse to mix the vectors of two embedders.

    Raises:
        OtherEmbedder: the corpus has those of another one.
    """
    if owner != embedder:
        raise OtherEmbedder(
            f"The corpus has the vectors of {owner}, and the embedder is {embedder}: run "
            "`footnote reembed`, or set the embedder that it had."
        )


def _change(ready: Ready, stored: Mapping[str, str]) -> _Change | None:
    """Return what is to be done for a document; None when a vector is lacking."""
    kept: list[PreparedChunk] = []
    fresh: list[PreparedChunk] = []
    for piece in ready.prepared.chunks:
        (kept if stored.get(piece.chunk.id) == piece.hash else fresh).append(piece)
    if any(piece.chunk.id not in ready.vectors for piece in fresh):
        return None
    return _Change(ready, kept, fresh)


def _document_parameters(changes: Sequence[_Change]) -> dict[str, object]:
    ready = [change.ready.prepared for change in changes]
    documents = [each.document for each in ready]
    return {
        "documents": [each.id for each in ready],
        "teams": [storable(each.team) for each in documents],
        "audiences": [storable(each.audience) for each in documents],
        "sources": [storable(each.source) for each in documents],
        "collections": [storable(each.collection) for each in documents],
        "titles": [storable(each.title) for each in documents],
        "services": [storable(each.service) for each in documents],
        "doc_types": [storable(each.doc_type) for each in documents],
        "links": [storable(each.link) for each in documents],
        "hashes": [each.hash for each in ready],
        "characters": [len(each.text) for each in documents],
        "pages": ["{" + ",".join(map(str, each.pages_without_text)) + "}" for each in documents],
    }


def _place_parameters(pieces: "Sequence[PreparedChunk]") -> dict[str, object]:
    chunks = [piece.chunk for piece in pieces]
    return {
        "ids": [chunk.id for chunk in chunks],
        "positions": [chunk.position for chunk in chunks],
        "starts": [chunk.start for chunk in chunks],
        "ends": [chunk.end for chunk in chunks],
        "pages": [chunk.page for chunk in chunks],
        "headings": [storable(chunk.heading) for chunk in chunks],
    }


def _rows(changes: Sequence[_Change]) -> Iterator[tuple[object, ...]]:
    for change in changes:
        document = change.ready.prepared.document
        labels = [document.team, document.audience, document.service, document.doc_type]
        team, audience, service, doc_type = map(storable, labels)
        source = storable(document.source)
        for piece in change.fresh:
            chunk = piece.chunk
            yield (
                chunk.id,
                team,
                audience,
                service,
                doc_type,
                change.ready.vectors[chunk.id],
                change.ready.prepared.id,
                chunk.position,
                chunk.start,
                chunk.end,
                source,
                chunk.page,
                storable(chunk.heading),
                storable(chunk.context),
                storable(chunk.text),
                piece.hash,
                piece.tokens,
            )
