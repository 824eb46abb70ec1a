"""The ingest: sources → documents → chunks → vectors → rows, a transaction a document.

What is stored already in the same form costs one query for a whole batch. A process killed
halfway leaves whole documents only, and the next ingest does the rest.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from retrieval.documents import Document
from retrieval.errors import EmbedderDown, QueryFailed, RetrievalError, UnreadableDocument
from retrieval.files import read_regular, unreadable
from retrieval.prepared import PreparedChunk, PreparedDocument, document_hash, document_id, prepare
from retrieval.readers import MAX_BYTES, read
from retrieval.sources import Collected, Source

if TYPE_CHECKING:
    from retrieval.embedding import Embedder, Vector
    from retrieval.store import Store

__all__ = ["Failure", "IngestReport", "PagesWithoutText", "Progress", "ingest"]

type State = Literal["added", "changed", "unchanged", "failed"]

# A batch is what is held in memory at once, and looked up with one query.
_BATCH_SOURCES: Final = 500
_BATCH_CHARACTERS: Final = 32_000_000

_EMBEDDED_AT_ONCE: Final = 32

# When the database or the embedder is down, the rest needn't wait for its time-outs.
_FAILURES_IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that couldn't be ingested, and the sentence, beginning with it, that says why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class PagesWithoutText:
    """The pages of a source that hold no text, only pictures perhaps."""

    source: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """One source is done: the `done`-th of `total`."""

    done: int
    total: int
    source: str
    state: State


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, in documents. `skipped` counts the files never looked into."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Failure, ...] = ()
    skipped: int = 0
    chunks_written: int = 0
    pages_without_text: tuple[PagesWithoutText, ...] = ()
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values under the names of the fields."""
        return {**asdict(self), "seconds": round(self.seconds, 3)}


async def ingest(  # noqa: PLR0913 - three things it needs, and its options, by name
    store: "Store",
    embedder: "Embedder",
    sources: Collected | Iterable[Source],
    *,
    progress: Callable[[Progress], None] | None = None,
    mirror: bool = False,
    allow_secrets: bool = False,
) -> IngestReport:
    """Store the sources, each new or changed one in a transaction of its own.

    A source that fails is reported, and the others go on. With `mirror`, documents of the same
    teams and audiences that no source names are removed. A source that looks as if it held a
    private key or a token fails, unless `allow_secrets`.

    Raises:
        QueryFailed: the database is down at the start or between documents.
    """
    if not isinstance(sources, Collected):
        sources = Collected(tuple(sources))
    run = _Run(store, embedder, sources.sources, progress, allow_secrets)
    return await run.through(skipped=sources.skipped, mirror=mirror)


@dataclass(slots=True)
class _Run:
    """One ingest and what it has done so far."""

    store: "Store"
    embedder: "Embedder"
    sources: tuple[Source, ...]
    progress: Callable[[Progress], None] | None
    allow_secrets: bool
    states: dict[State, int] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    blank: list[PagesWithoutText] = field(default_factory=list)
    chunks_written: int = 0
    in_a_row: int = 0

    async def through(self, *, skipped: int, mirror: bool) -> IngestReport:
        started = time.perf_counter()
        batch: list[Document] = []
        seen: set[str] = set()
        for source in self.sources:
            document = await self._read(source, seen)
            if document is None:
                continue
            batch.append(document)
            characters = sum(len(each.text) for each in batch)
            if len(batch) >= _BATCH_SOURCES or characters >= _BATCH_CHARACTERS:
                await self._store(batch)
                batch = []
        await self._store(batch)
        removed = await self._remove_others(seen) if mirror else 0
        if removed or self.states.keys() & {"added", "changed"}:
            await self.store.maintain()
        return IngestReport(
            added=self.states.get("added", 0),
            changed=self.states.get("changed", 0),
            unchanged=self.states.get("unchanged", 0),
            removed=removed,
            failed=tuple(self.failed),
            skipped=skipped,
            chunks_written=self.chunks_written,
            pages_without_text=tuple(self.blank),
            seconds=time.perf_counter() - started,
        )

    async def _read(self, source: Source, seen: set[str]) -> Document | None:
        identity = document_id(source.labels.team, source.labels.audience, source.name)
        if identity in seen:
            self._fail(
                source.name,
                f"{source.name} has the same name as another file of this ingest: rename one.",
            )
            return None
        seen.add(identity)
        try:
            document = await asyncio.to_thread(_read, source, allow_secrets=self.allow_secrets)
        except UnreadableDocument as error:
            self._fail(source.name, str(error))
            return None
        if document.pages_without_text:
            self.blank.append(PagesWithoutText(document.source, document.pages_without_text))
        return document

    async def _store(self, documents: Sequence[Document]) -> None:
        ids = [document_id(each.team, each.audience, each.source) for each in documents]
        stored = await self.store.document_hashes(ids) if ids else {}
        for name, document in zip(ids, documents, strict=True):
            if stored.get(name) == document_hash(document, self.embedder.name):
                self._done(document.source, "unchanged")
                continue
            try:
                prepared = await asyncio.to_thread(prepare, document, self.embedder.name)
                self.chunks_written += await self._write(prepared)
            except (EmbedderDown, QueryFailed) as error:
                self.in_a_row += 1
                if self.in_a_row >= _FAILURES_IN_A_ROW:
                    raise
                self._fail(document.source, str(error))
            except RetrievalError as error:
                self._fail(document.source, str(error))
            else:
                self.in_a_row = 0
                self._done(document.source, "changed" if name in stored else "added")

    async def _write(self, prepared: PreparedDocument) -> int:
        vectors: dict[str, Vector] = {}
        while True:
            # A second round only when another ingest changed the document meanwhile.
            lacking = [
                piece
                for piece in await self.store.chunks_to_embed(prepared)
                if piece.chunk.id not in vectors
            ]
            for first in range(0, len(lacking), _EMBEDDED_AT_ONCE):
                vectors |= await self._embed(lacking[first : first + _EMBEDDED_AT_ONCE])
            written = await self.store.write(prepared, vectors)
            if written is not None:
                return written

    async def _embed(self, pieces: Sequence[PreparedChunk]) -> "dict[str, Vector]":
        vectors = await self.embedder.embed_documents([piece.embedded_text for piece in pieces])
        for vector in vectors:
            # No search could ever find such a chunk by meaning: the distance is no number.
            if not np.isfinite(vector).all() or not vector.any():
                raise EmbedderDown("The embedder gave a vector of zeros or of no numbers.")
        return {piece.chunk.id: vector for piece, vector in zip(pieces, vectors, strict=True)}

    async def _remove_others(self, seen: set[str]) -> int:
        owners = {(source.labels.team, source.labels.audience) for source in self.sources}
        removed = 0
        for team, audience in sorted(owners, key=str):
            others = (await self.store.document_ids(team, audience)).keys() - seen
            removed += await self.store.delete(others) if others else 0
        return removed

    def _fail(self, source: str, reason: str) -> None:
        told = reason if reason.startswith(source) else f"{source}: {reason}"
        self.failed.append(Failure(source, told))
        self._done(source, "failed")

    def _done(self, source: str, state: State) -> None:
        self.states[state] = self.states.get(state, 0) + 1
        if self.progress is not None:
            self.progress(Progress(sum(self.states.values()), len(self.sources), source, state))


def _read(source: Source, *, allow_secrets: bool) -> Document:
    labels = source.labels
    if isinstance(source.content, Path):
        try:
            data = read_regular(
                source.content, MAX_BYTES
            )  # a full measure is refused by the reader
        except (OSError, ValueError) as error:
            raise unreadable(source.name, error) from error
    else:
        data = source.content
    return read(
        source.name,
        data,
        source=source.name,
        service=labels.service,
        doc_type=labels.doc_type,
        title=labels.title,
        link=labels.link,
        team=labels.team,
        audience=labels.audience,
        allow_secrets=allow_secrets,
    )
