"""The ingest: sources → documents → chunks → vectors → rows, a transaction a document.

What is stored already in the same form costs one row of one query. A process killed halfway
leaves whole documents only, and the next ingest does the rest. Memory holds one batch of
documents and one window of chunks, however many sources there are.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from retrieval.documents import Document
from retrieval.embedding_calls import Calls
from retrieval.errors import EmbedderDown, QueryFailed, RetrievalError, UnreadableDocument
from retrieval.files import read_regular, unreadable
from retrieval.prepared import PreparedDocument, document_hash, document_id, prepare
from retrieval.readers import MAX_BYTES, read
from retrieval.report import Failure, IngestReport, PagesWithoutText, Progress, State
from retrieval.sources import Collected, Source

if TYPE_CHECKING:
    from retrieval.embedding import Embedder, Vector
    from retrieval.store import Store

__all__ = ["ingest"]

# A batch is read at once, and looked up with one query.
_BATCH_SOURCES: Final = 200
_BATCH_CHARACTERS: Final = 8_000_000

# A window is embedded at once; a document is never in two.
_WINDOW_CHUNKS: Final = 256

# When the database or the embedder is down, the rest needn't wait for its time-outs.
_FAILURES_IN_A_ROW: Final = 3

_MAINTAIN_SECONDS: Final = 60.0


async def ingest(  # noqa: PLR0913 - three things it needs, and its options, by name
    store: "Store",
    embedder: "Embedder",
    sources: Collected | Iterable[Source],
    *,
    progress: Callable[[Progress], None] | None = None,
    prune: bool = False,
    allow_secrets: bool = False,
) -> IngestReport:
    """Store the sources, each new or changed one in a transaction of its own.

    A source that fails is reported, and the others go on. With `prune`, documents that came
    from the same collections, for the same teams and audiences, and that no source names are
    removed; those of other folders, and those that came without one, never. A source that
    looks as if it held a private key or a token fails, unless `allow_secrets`.

    Raises:
        OtherEmbedder: the corpus has another embedder's vectors.
        EmbedderDown: it failed for several documents in a row.
        QueryFailed: the database is down at the start or between documents.
    """
    if not isinstance(sources, Collected):
        sources = Collected(tuple(sources))
    run = _Run(store, embedder, sources.sources, progress, allow_secrets)
    return await run.through(skipped=sources.skipped, prune=prune)


@dataclass(slots=True)
class _Run:
    """One ingest and what it has done so far."""

    store: "Store"
    embedder: "Embedder"
    sources: tuple[Source, ...]
    progress: Callable[[Progress], None] | None
    allow_secrets: bool
    seen: set[str] = field(default_factory=set)
    states: dict[State, int] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    blank: list[PagesWithoutText] = field(default_factory=list)
    taken_over: int = 0
    removed: int = 0
    chunks_written: int = 0
    in_a_row: int = 0

    async def through(self, *, skipped: int, prune: bool) -> IngestReport:
        started = time.perf_counter()
        await self.store.claim_embedder(self.embedder.name)
        try:
            await self._all()
            if prune:
                await self._prune()
        except BaseException:
            await self._maintain_all_the_same()
            raise
        if self._wrote:
            await self.store.maintain()
        return IngestReport(
            added=self.states.get("added", 0),
            changed=self.states.get("changed", 0),
            unchanged=self.states.get("unchanged", 0),
            removed=self.removed,
            taken_over=self.taken_over,
            failed=tuple(self.failed),
            skipped=skipped,
            chunks_written=self.chunks_written,
            pages_without_text=tuple(self.blank),
            seconds=time.perf_counter() - started,
        )

    async def _all(self) -> None:
        remaining = iter(self.sources)
        while batch := await asyncio.to_thread(
            _read_batch, remaining, allow_secrets=self.allow_secrets
        ):
            fresh: list[Document] = []
            for source, document in batch:
                identity = document_id(source.labels.team, source.labels.audience, source.name)
                if identity in self.seen:
                    clash = "has the same name as another file of this ingest: rename one."
                    self._fail(source.name, f"{source.name} {clash}")
                    continue
                self.seen.add(identity)
                if isinstance(document, UnreadableDocument):
                    self._fail(source.name, str(document))
                    continue
                if document.pages_without_text:
                    pages = PagesWithoutText(document.source, document.pages_without_text)
                    self.blank.append(pages)
                fresh.append(document)
            await self._store(fresh)

    async def _store(self, documents: Sequence[Document]) -> None:
        """Store what differs of a batch, in windows."""
        ids = {document_id(each.team, each.audience, each.source): each for each in documents}
        stored = await self.store.stored(ids) if ids else {}
        hashes = await asyncio.to_thread(lambda: [document_hash(each) for each in documents])
        moved: dict[str | None, list[str]] = {}
        differing: list[Document] = []
        for (name, document), digest in zip(ids.items(), hashes, strict=True):
            before = stored.get(name)
            if before is not None and before.collection != document.collection:
                self.taken_over += 1
            if before is None or before.hash != digest:
                differing.append(document)
                continue
            if before.collection != document.collection:
                moved.setdefault(document.collection, []).append(name)
            self._done(document.source, "unchanged")
        for collection, names in moved.items():
            await self.store.take_over(names, collection)
        await self._store_differing(differing, stored.keys())

    async def _store_differing(self, documents: Iterable[Document], stored: Iterable[str]) -> None:
        """Store window after window, and prepare the next while the server works on one."""
        remaining = iter(documents)
        window = await asyncio.to_thread(_prepare_window, remaining)
        try:
            while window:
                async with asyncio.TaskGroup() as group:
                    following = group.create_task(asyncio.to_thread(_prepare_window, remaining))
                    await self._store_window(window, stored)
                window = following.result()
        except* RetrievalError as errors:
            failure = errors.exceptions[0]
        else:
            return
        raise failure

    async def _store_window(
        self, window: Sequence[PreparedDocument], stored: Iterable[str]
    ) -> None:
        lacking = await self.store.chunks_to_embed(window)
        texts = [{each.chunk.id: each.embedded_text for each in pieces} for pieces in lacking]
        vectors = await Calls(self.embedder).vectors(texts)
        known = set(stored)
        for prepared, found in zip(window, vectors, strict=True):
            source = prepared.document.source
            try:
                if isinstance(found, EmbedderDown):
                    raise found
                self.chunks_written += await self._write(prepared, found)
            except (EmbedderDown, QueryFailed) as error:
                self.in_a_row += 1
                if self.in_a_row >= _FAILURES_IN_A_ROW:
                    raise
                self._fail(source, str(error))
            else:
                self.in_a_row = 0
                self._done(source, "changed" if prepared.id in known else "added")

    async def _write(self, prepared: PreparedDocument, vectors: "dict[str, Vector]") -> int:
        while True:
            written = await self.store.write(prepared, vectors, self.embedder.name)
            if written is not None:
                return written
            # Another ingest changed the document meanwhile.
            (lacking,) = await self.store.chunks_to_embed([prepared])
            texts = {
                each.chunk.id: each.embedded_text
                for each in lacking
                if each.chunk.id not in vectors
            }
            (found,) = await Calls(self.embedder).vectors([texts])
            if isinstance(found, EmbedderDown):
                raise found
            vectors |= found

    async def _prune(self) -> None:
        scopes = {
            (source.labels.team, source.labels.audience, source.collection)
            for source in self.sources
        }
        for team, audience, collection in sorted(scopes, key=str):
            if collection is not None:
                there = await self.store.collected(team, audience, collection)
                gone = {
                    name
                    for name, source in there.items()
                    if name not in self.seen and not self._is_below_failed(source)
                }
                if gone:
                    self.removed += await self.store.delete(gone)

    def _is_below_failed(self, source: str) -> bool:
        """Whether a document's folder couldn't be listed: it may be there all the same."""
        return any(source.startswith(f"{each.source}/") for each in self.failed)

    @property
    def _wrote(self) -> bool:
        return bool(self.removed or self.states.keys() & {"added", "changed"})

    async def _maintain_all_the_same(self) -> None:
        """Bring the indexes in order after what was stored before the ingest broke off."""
        if not self._wrote:
            return
        try:
            async with asyncio.timeout(_MAINTAIN_SECONDS):
                await self.store.maintain()
        except (RetrievalError, TimeoutError):
            pass  # the database is why it broke off, or busy; the next ingest comes by

    def _fail(self, source: str, reason: str) -> None:
        told = reason if reason.startswith(source) else f"{source}: {reason}"
        self.failed.append(Failure(source, told))
        self._done(source, "failed")

    def _done(self, source: str, state: State) -> None:
        self.states[state] = self.states.get(state, 0) + 1
        if self.progress is not None:
            self.progress(Progress(sum(self.states.values()), len(self.sources), source, state))


type _Read = tuple[Source, Document | UnreadableDocument]


def _read_batch(sources: Iterator[Source], *, allow_secrets: bool) -> list[_Read]:
    batch: list[_Read] = []
    characters = 0
    for source in sources:
        try:
            document = _read(source, allow_secrets=allow_secrets)
            characters += len(document.text)
        except UnreadableDocument as error:
            document = error
        batch.append((source, document))
        if len(batch) >= _BATCH_SOURCES or characters >= _BATCH_CHARACTERS:
            break
    return batch


def _prepare_window(documents: Iterator[Document]) -> list[PreparedDocument]:
    window: list[PreparedDocument] = []
    chunks = 0
    for document in documents:
        window.append(prepare(document))
        chunks += len(window[-1].chunks)
        if chunks >= _WINDOW_CHUNKS:
            break
    return window


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
    document = read(
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
    return replace(document, collection=source.collection)
