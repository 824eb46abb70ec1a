"""A document made ready to be stored, all but its vectors. Pure, and slow enough for a thread.

The hashes say what stored rows were made from: an equal hash means that nothing has to be done.
"""

import hashlib
import json
from dataclasses import dataclass

from retrieval.chunking import CHUNKER_VERSION, chunk
from retrieval.documents import Chunk, Document
from retrieval.tokens import TOKENS_VERSION, index_tokens

__all__ = ["PreparedChunk", "PreparedDocument", "document_hash", "document_id", "prepare"]


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk, the hash of what its vector and tokens come from, its tokens joined by spaces."""

    chunk: Chunk
    hash: str
    tokens: str

    @property
    def embedded_text(self) -> str:
        """What the embedder sees."""
        return _with_context(self.chunk)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with its id, the hash of all that its rows are made from, and its chunks."""

    document: Document
    id: str
    hash: str
    chunks: tuple[PreparedChunk, ...]


def document_id(team: str | None, audience: str | None, source: str) -> str:
    """Return a document's id (32 hexadecimal digits), which depends on its identity only."""
    return _digest(team, audience, source)[:32]


def document_hash(document: Document) -> str:
    """Return the sha256 of all that is stored of a document and of how it is cut and indexed.

    Not of the embedder: a database has one, and `reembed` changes it without an ingest.
    """
    return _digest(
        document.text,
        document.title,
        document.service,
        document.doc_type,
        document.link,
        [[heading.level, heading.title, heading.start] for heading in document.headings],
        [[page.page, page.start] for page in document.pages],
        list(document.pages_without_text),
        CHUNKER_VERSION,
        TOKENS_VERSION,
    )


def prepare(document: Document) -> PreparedDocument:
    """Cut a document into chunks, and those into tokens."""
    return PreparedDocument(
        document=document,
        id=document_id(document.team, document.audience, document.source),
        hash=document_hash(document),
        chunks=tuple(_prepare_chunk(piece) for piece in chunk(document)),
    )


def _prepare_chunk(piece: Chunk) -> PreparedChunk:
    return PreparedChunk(
        chunk=piece,
        hash=_digest(piece.context, piece.text, TOKENS_VERSION),
        tokens=" ".join(index_tokens(_with_context(piece))),
    )


def _with_context(piece: Chunk) -> str:
    return f"{piece.context}\n{piece.text}" if piece.context else piece.text


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
