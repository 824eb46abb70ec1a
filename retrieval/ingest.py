"""The ingest: sources → documents → chunks → vectors → rows.

A transaction holds a window of whole documents: a process killed halfway leaves each document as
it was or as it is, and the next ingest does the rest. What is stored already in the same form
costs one row of one query. Memory holds two batches of documents and two windows of chunks,
however many sources there are: the next is read while one is stored.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from retrieval.documents import Document
from retrieval.embedding_calls import Calls
from retrieval.errors import EmbedderDown, QueryFailed, RetrievalError, UnreadableDocument
from retrieval.prepared import PreparedDocument, document_id
from retrieval.report import Failure, IngestReport, PagesWithoutText, Progress, State
from retrieval.sources import Collected, Source
from retrieval.workbench import Workbench, open_workbench
from retrieval.workshop import BATCH, Read
from retrieval.writing import Ready

if TYPE_CHECKING:
    from retrieval.embedding import Embedder
    from retrieval.store import Store

__all__ = ["ingest"]

_LOG = logging.getLogger(__name__)

# Characters of a window: what is embedded at once, and stored in one transaction.
_WINDOW: Final = 250_000

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
    """Store the sources, each new or changed one whole or not at all.

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
    async with open_workbench(len(sources.sources)) as workbench:
        run = _Run(store, embedder, workbench, sources.sources, progress, allow_secrets)
        return await run.through(skipped=sources.skipped, prune=prune)


@dataclass(slots=True)
class _Run:
    """One ingest and what it has done so far."""

    store: "Store"
    embedder: "Embedder"
    workbench: Workbench
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
        """Take batch after batch, and read the next while one is stored."""
        at = 0
        batch = await self._read(at)
        while batch:
            sources = self.sources[at : at + len(batch)]
            at += len(batch)
            batch = await _beside(self._take(sources, batch), self._read(at))

    async def _read(self, at: int) -> list[Read]:
        if at >= len(self.sources):
            return []
        return await self.workbench.read(
            self.sources[at : at + BATCH], allow_secrets=self.allow_secrets
        )

    async def _take(self, sources: Sequence[Source], batch: Sequence[Read]) -> None:
        """Store what can be read of a batch."""
        fresh: list[tuple[Document, str]] = []
        for source, found in zip(sources, batch, strict=True):
            identity = document_id(source.labels.team, source.labels.audience, source.name)
            if identity in self.seen:
                clash = "has the same name as another file of this ingest: rename one."
                self._fail(source.name, f"{source.name} {clash}")
                continue
            self.seen.add(identity)
            if isinstance(found, UnreadableDocument):
                self._fail(source.name, str(found))
                continue
            document, _ = found
            if document.pages_without_text:
                pages = PagesWithoutText(document.source, document.pages_without_text)
                self.blank.append(pages)
            fresh.append(found)
        await self._store(fresh)

    async def _store(self, documents: Sequence[tuple[Document, str]]) -> None:
        """Store what differs of a batch, in windows."""
        ids = [document_id(each.team, each.audience, each.source) for each, _ in documents]
        stored = await self.store.stored(ids) if ids else {}
        moved: dict[str | None, list[str]] = {}
        differing: list[Document] = []
        for name, (document, digest) in zip(ids, documents, strict=True):
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

    async def _store_differing(self, documents: Sequence[Document], stored: Iterable[str]) -> None:
        """Store window after window, and prepare the next while the server works on one."""
        windows = _windows(documents)
        window = await self._prepare(windows)
        while window:
            window = await _beside(self._store_window(window, stored), self._prepare(windows))

    async def _prepare(self, windows: Iterator[Sequence[Document]]) -> list[PreparedDocument]:
        window = next(windows, None)
        return [] if window is None else await self.workbench.prepare(window)

    async def _store_window(
        self, window: Sequence[PreparedDocument], stored: Iterable[str]
    ) -> None:
        lacking = await self.store.chunks_to_embed(window)
        texts = [{each.chunk.id: each.embedded_text for each in pieces} for pieces in lacking]
        vectors = await Calls(self.embedder).vectors(texts)
        known = set(stored)
        ready = {
            prepared.id: Ready(prepared, found)
            for prepared, found in zip(window, vectors, strict=True)
            if not isinstance(found, EmbedderDown)
        }
        written = await self._write(list(ready.values()))
        for prepared, found in zip(window, vectors, strict=True):
            source = prepared.document.source
            result = found if isinstance(found, EmbedderDown) else written[prepared.id]
            if isinstance(result, int):
                self.in_a_row = 0
                self.chunks_written += result
                self._done(source, "changed" if prepared.id in known else "added")
                continue
            self.in_a_row += 1
            if self.in_a_row >= _FAILURES_IN_A_ROW:
                raise result
            self._fail(source, str(result))

    async def _write(self, ready: Sequence[Ready]) -> dict[str, int | EmbedderDown | QueryFailed]:
        """Store documents together; if that fails one by one, so that only the bad ones fail."""
        try:
            counts = await self.store.write(ready, self.embedder.name) if ready else []
        except QueryFailed as error:
            if len(ready) == 1:
                return {ready[0].prepared.id: error}
            return await self._one_by_one(ready)
        written: dict[str, int | EmbedderDown | QueryFailed] = {}
        for each, count in zip(ready, counts, strict=True):
            written[each.prepared.id] = await self._again(each) if count is None else count
        return written

    async def _one_by_one(
        self, ready: Sequence[Ready]
    ) -> dict[str, int | EmbedderDown | QueryFailed]:
        written: dict[str, int | EmbedderDown | QueryFailed] = {}
        in_a_row = 0
        for each in ready:
            written |= (result := await self._write([each]))
            in_a_row = in_a_row + 1 if isinstance(result[each.prepared.id], Exception) else 0
            if in_a_row == _FAILURES_IN_A_ROW:
                break
        return written

    async def _again(self, ready: Ready) -> int | EmbedderDown | QueryFailed:
        """Store a document that another ingest changed meanwhile."""
        vectors = dict(ready.vectors)
        (lacking,) = await self.store.chunks_to_embed([ready.prepared])
        texts = {
            each.chunk.id: each.embedded_text for each in lacking if each.chunk.id not in vectors
        }
        (found,) = await Calls(self.embedder).vectors([texts])
        if isinstance(found, EmbedderDown):
            return found
        again = await self._write([Ready(ready.prepared, vectors | found)])
        return again[ready.prepared.id]

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
        except (RetrievalError, TimeoutError) as error:
            # The database is why it broke off, or busy; the next ingest comes by.
            _LOG.warning("maintenance_left_out", extra={"error": type(error).__name__})

    def _fail(self, source: str, reason: str) -> None:
        told = reason if reason.startswith(source) else f"{source}: {reason}"
        self.failed.append(Failure(source, told))
        self._done(source, "failed")

    def _done(self, source: str, state: State) -> None:
        self.states[state] = self.states.get(state, 0) + 1
        if self.progress is not None:
            self.progress(Progress(sum(self.states.values()), len(self.sources), source, state))


async def _beside[T](work: Coroutine[Any, Any, None], following: Coroutine[Any, Any, T]) -> T:
    """Do some work, and meanwhile what comes next; return what that gave."""
    try:
        async with asyncio.TaskGroup() as group:
            ahead = group.create_task(following)
            await work
    except* RetrievalError as errors:
        failure = errors.exceptions[0]
    else:
        return ahead.result()
    raise failure


def _windows(documents: Iterable[Document]) -> Iterator[Sequence[Document]]:
    """Cut documents into windows; one that is larger has a window of its own."""
    window: list[Document] = []
    characters = 0
    for document in documents:
        window.append(document)
        characters += len(document.text)
        if characters >= _WINDOW:
            yield window
            window, characters = [], 0
    if window:
        yield window
