"""What tests of retrieval put into the database: documents made of tokens, with no files."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from retrieval.documents import Chunk, Document
from retrieval.prepared import PreparedChunk, PreparedDocument, document_id
from retrieval.store import Store
from retrieval.writing import Ready
from schema.database import open_pool
from schema.engines import engine_named
from tests.conftest import ENGINES
from tests.retrieval.bag_of_words import vector_of

__all__ = ["ENGINES", "open_store", "prepared", "put"]


@asynccontextmanager
async def open_store(database_url: str, engine: str) -> AsyncGenerator[Store]:
    """A store on the test's database, with a pool of its own."""
    async with open_pool(database_url, engine=engine, max_size=6) as pool:
        yield Store(pool, engine_named(engine))


def prepared(  # noqa: PLR0913 - the labels of a document, each by name
    source: str,
    chunks: Sequence[str],
    *,
    service: str = "payments",
    doc_type: str = "runbook",
    team: str | None = None,
    audience: str | None = None,
) -> PreparedDocument:
    """A document with these chunks, whose tokens are their words as they stand.

    The n-th chunk's id is `source-n`, and its hash is its text.
    """
    text = "\n".join(chunks)
    pieces: list[PreparedChunk] = []
    start = 0
    for position, words in enumerate(chunks):
        end = start + len(words)
        piece = Chunk(f"{source}-{position:04}", position, start, end, words, source, "", None)
        pieces.append(PreparedChunk(piece, words, words))
        start = end + 1
    return PreparedDocument(
        document=Document(
            source=source,
            title=source,
            text=text,
            service=service,
            doc_type=doc_type,
            team=team,
            audience=audience,
        ),
        id=document_id(team, audience, source),
        hash=text,
        chunks=tuple(pieces),
    )


async def put(store: Store, document: PreparedDocument) -> int | None:
    """Write a document with the bag-of-words vectors of its chunks."""
    vectors = {each.chunk.id: vector_of(each.chunk.text) for each in document.chunks}
    (written,) = await store.write([Ready(document, vectors)])
    return written
