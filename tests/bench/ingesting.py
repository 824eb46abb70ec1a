"""Speed and memory of an ingest, and where its own time goes."""

import asyncio
import os
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.table import Table

from retrieval.ingest import ingest
from retrieval.prepared import PreparedDocument, prepare
from retrieval.readers.reading import read
from retrieval.sources import collect
from retrieval.store import Store
from schema import Pool, Server, engine_named
from tests.bench.synthetic import SyntheticEmbedder

__all__ = ["COLUMNS", "Ingested", "parts", "rate", "timed_ingest"]

COLUMNS = ("chunks", "chunks/s", "CPU ms/chunk", "server's", "indexes, s", "again, s", "peak MB")
_EVERY = 0.1  # seconds between looks at the memory


@dataclass(frozen=True, slots=True)
class Ingested:
    """An ingest as measured; times in seconds, `peak_mb` by proportional set size.

    `index_seconds` went, after the chunks were stored, into the upkeep of the indexes: they are
    no part of the rate.
    """

    chunks: int
    seconds: float
    cpu_seconds: float
    server_seconds: float
    index_seconds: float
    again_seconds: float
    peak_mb: float

    @property
    def rate(self) -> float:
        """Chunks a second."""
        return self.chunks / (self.seconds - self.index_seconds)

    def cells(self) -> Sequence[str]:
        """Return a row of the table."""
        return (
            f"{self.chunks:,}",
            f"{self.rate:,.0f}",
            f"{self.cpu_seconds / self.chunks * 1000:.2f}",
            f"{self.server_seconds / self.chunks * 1000:.2f}",
            f"{self.index_seconds:.2f}",
            f"{self.again_seconds:.2f}",
            f"{self.peak_mb:.0f}",
        )


class _Timed(Store):
    """A store that knows how long its upkeep took."""

    def __init__(self, pool: Pool, engine: str) -> None:
        super().__init__(pool, engine_named(engine))
        self.seconds = 0.0

    async def maintain(self) -> None:
        """Bring the indexes in order, and note the time."""
        began = time.perf_counter()
        await super().maintain()
        self.seconds += time.perf_counter() - began


async def timed_ingest(
    server: Server, pool: Pool, engine: str, embedder: SyntheticEmbedder, pages: Path
) -> Ingested:
    """Ingest a folder, and a second time, when nothing has changed."""
    store = _Timed(pool, engine)
    found = await asyncio.to_thread(collect, [pages])
    theirs = await asyncio.to_thread(_server_seconds, server)
    began, cpu = time.perf_counter(), _cpu_seconds()
    with _watched() as most:
        report = await ingest(store, embedder, found)
    seconds, spent = time.perf_counter() - began, _cpu_seconds() - cpu
    theirs = await asyncio.to_thread(_server_seconds, server) - theirs
    indexes = store.seconds
    again = await ingest(store, embedder, found)
    return Ingested(report.chunks_written, seconds, spent, theirs, indexes, again.seconds, most[0])


def parts(pages: Path) -> Table:
    """Where an ingest's own time goes."""
    files = sorted(pages.iterdir())
    began, cpu = time.perf_counter(), time.process_time()
    documents = [read(file.name, file.read_bytes(), source=file.name) for file in files]
    reading = time.perf_counter(), time.process_time()
    prepared: list[PreparedDocument] = [prepare(document) for document in documents]
    chunks = sum(len(each.chunks) for each in prepared)
    table = Table("part", "chunks/s", "CPU ms/chunk", title="parts of an ingest")
    spent = reading[0] - began, reading[1] - cpu
    table.add_row("read", f"{chunks / spent[0]:,.0f}", f"{spent[1] / chunks * 1000:.2f}")
    table.add_row("chunks, tokens, hashes", *rate(chunks, *reading))
    return table


def rate(count: int, began: float, cpu: float) -> tuple[str, str]:
    """Return how many a second, and the processor's milliseconds for each."""
    wall, spent = time.perf_counter() - began, time.process_time() - cpu
    return f"{count / wall:,.0f}", f"{spent / count * 1000:.2f}"


def _server_seconds(server: Server) -> float:
    """Return the processor's time that the server's processes, those alive, have had."""
    pid = int((server.data_dir / "postgres/data/postmaster.pid").read_text().split()[0])
    spent = 0.0
    for process in (psutil.Process(pid), *psutil.Process(pid).children()):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            spent += times.user + times.system
    return spent


def _cpu_seconds() -> float:
    """Return the processor's time that this process and those it has waited for have had."""
    return sum(os.times()[:4])


@contextmanager
def _watched() -> Generator[list[float]]:
    """Note, in MB, the most memory that this process and those that work for it hold together.

    Of pages that several of them share, each counts its part.
    """
    most = [0.0]
    done = threading.Event()

    def watch() -> None:
        me = psutil.Process()
        while not done.wait(_EVERY):
            held = 0
            for process in (me, *me.children()):
                with suppress(psutil.Error):
                    held += process.memory_full_info().pss if process.name() != "postgres" else 0
            most[0] = max(most[0], held / 2**20)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()
