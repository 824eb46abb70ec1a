"""`make bench`: how fast, how large, how good; tables whose rows grow with the corpus.

Figures of a busy machine are low and noisy: compare rows of one run. CPU milliseconds, which
wait for nobody, are those of this process and its children; the server's are told apart.
"""

import argparse
import asyncio
import os
import shutil
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import numpy as np
import psutil
import psycopg
from psycopg import sql
from rich.console import Console
from rich.table import Table

from retrieval.documents import Filters
from retrieval.embedding import bundled_embedder
from retrieval.ingest import ingest
from retrieval.minilm import MiniLM, int8_network, packaged_network
from retrieval.prepared import PreparedDocument, prepare
from retrieval.readers import read
from retrieval.search import Search
from retrieval.sources import collect
from retrieval.store import Store
from schema import Pool, Server, engine_named, migrate, open_pool, use
from tests.bench.scifact import scifact
from tests.bench.session import session_window
from tests.bench.synthetic import SyntheticEmbedder, questions, write_documents
from tests.bench.turn import turn_overhead

_SCIFACT = Path(__file__).parents[3] / "shared/data/scifact"
_STAGES = ("vector", "keyword", "fuse", "hydrate", "total")
_INGEST = ("chunks", "chunks/s", "CPU ms/chunk", "server's", "again, s", "peak MB")
_WITH_MODEL = 20_000  # chunks; a tenth of them through the model takes a minute
_console = Console()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench ARGS=…", description=__doc__)
    parser.add_argument(
        "--chunks",
        type=int,
        nargs="*",
        default=[1_000, 5_000, 20_000],
        help="sizes to measure speed at; none of them leaves SciFact alone",
    )
    parser.add_argument("--large", action="store_true", help="100,000 chunks as well")
    parser.add_argument("--engine", default="pg_search")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--texts", type=int, default=100, help="texts to embed for the rate")
    parser.add_argument("--scifact", type=Path, default=_SCIFACT, help="folder of the data set")
    parser.add_argument("--no-scifact", action="store_true", help="leave it out: it takes minutes")
    return parser.parse_args()


async def _bench(arguments: argparse.Namespace, server: Server, folder: Path) -> None:
    async with _database(server, arguments.engine, "session") as pool:
        windows = Table(
            "events", "characters", "turns shown", "p50 ms", "p95 ms", title="window of a session"
        )
        for length in (100, 1_100):
            windows.add_row(*await session_window(pool, length))
        _console.print(windows)
    async with _database(server, arguments.engine, "turn"):
        turns = Table("turns", "p50 ms", "p95 ms", "of it the model's call", title="a turn")
        turns.add_row(*await turn_overhead(server.url_for("turn")))
        _console.print(turns)
    sizes = [*arguments.chunks, *([100_000] if arguments.large else [])]
    ingests = Table(*_INGEST, title="ingest, without the model")
    searches = Table("chunks", "filter", *_STAGES, title="search, p50 / p95 ms, without the model")
    async with bundled_embedder() as model:
        for size in sizes:
            pages = folder / f"pages{size}"
            await asyncio.to_thread(pages.mkdir)
            await asyncio.to_thread(write_documents, pages, size)
            async with _store(server, arguments.engine, f"bench{size}") as store:
                ingests.add_row(*await _ingest(server, store, SyntheticEmbedder(), pages))
                for row in await _searches(store, arguments.queries):
                    searches.add_row(*row)
        if sizes:
            _console.print(ingests, searches)
            _console.print(await asyncio.to_thread(_parts, folder / f"pages{sizes[0]}"))
            flat = Table(*_INGEST, title="ingest, a tenth of the calls to the model")
            for size in (each for each in sizes if each <= _WITH_MODEL):
                async with _store(server, arguments.engine, f"flat{size}") as store:
                    pages = folder / f"pages{size}"
                    embedder = SyntheticEmbedder(model)
                    flat.add_row(*await _ingest(server, store, embedder, pages))
            _console.print(flat)
            texts = await asyncio.to_thread(_texts, folder / f"pages{sizes[0]}", arguments.texts)
            _console.print(await asyncio.to_thread(_rates, texts))
        if arguments.no_scifact:
            return
        if not await asyncio.to_thread(arguments.scifact.is_dir):
            _console.print(f"SciFact is left out: there is no {arguments.scifact}; see --scifact.")
            return
        async with _store(server, arguments.engine, "scifact") as store:
            found = await scifact(store, model, arguments.scifact)
            documents, chunks = await store.counts()
        title = f"SciFact, {documents:,} abstracts in {chunks:,} chunks"
        table = Table("search", "nDCG@10", "R@20", title=title)
        for name, quality in found.items():
            cells = (quality.ndcg_at_10, quality.recall_at_20)
            table.add_row(name, *(f"{cell:.4f}" for cell in cells))
        _console.print(table)


@asynccontextmanager
async def _store(server: Server, engine: str, name: str) -> AsyncGenerator[Store]:
    async with _database(server, engine, name) as pool:
        yield Store(pool, engine_named(engine))


@asynccontextmanager
async def _database(server: Server, engine: str, name: str) -> AsyncGenerator[Pool]:
    async with await psycopg.AsyncConnection.connect(server.url, autocommit=True) as admin:
        await admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    url = server.url_for(name)
    await migrate(url, vector_size=384, engine=engine)
    async with open_pool(url, engine=engine, max_size=6) as pool:
        yield pool


async def _ingest(
    server: Server, store: Store, embedder: SyntheticEmbedder, pages: Path
) -> Sequence[str]:
    found = await asyncio.to_thread(collect, [pages])
    theirs = await asyncio.to_thread(_server_seconds, server)
    began, cpu = time.perf_counter(), _cpu_seconds()
    with _watched() as most:
        report = await ingest(store, embedder, found)
    wall, spent = time.perf_counter() - began, _cpu_seconds() - cpu
    rate = f"{report.chunks_written / wall:,.0f}"
    milliseconds = f"{spent / report.chunks_written * 1000:.2f}"
    theirs = await asyncio.to_thread(_server_seconds, server) - theirs
    again = await ingest(store, embedder, found)
    chunks = report.chunks_written
    per_chunk = f"{theirs / chunks * 1000:.2f}"
    return [f"{chunks:,}", rate, milliseconds, per_chunk, f"{again.seconds:.2f}", f"{most[0]:.0f}"]


async def _searches(store: Store, count: int) -> list[Sequence[str]]:
    _, chunks = await store.counts()
    search = Search(store, SyntheticEmbedder(), max_distance=2.0)
    rows: list[Sequence[str]] = []
    for name, filters in (("", Filters()), ("1 %", Filters(services=("s7",)))):
        spent: dict[str, list[float]] = defaultdict(list)
        for text in questions(count):
            for stage, took in (await search.search(text, filters)).timings_ms.items():
                spent[stage].append(took)
        cells = [
            f"{np.percentile(spent[stage], 50):.1f} / {np.percentile(spent[stage], 95):.1f}"
            for stage in _STAGES
        ]
        rows.append([f"{chunks:,}", name, *cells])
    return rows


def _parts(pages: Path) -> Table:
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
    table.add_row("chunks, tokens, hashes", *_rate(chunks, *reading))
    return table


def _texts(pages: Path, count: int) -> list[str]:
    texts: list[str] = []
    for file in sorted(pages.iterdir()):
        document = read(file.name, file.read_bytes(), source=file.name)
        texts.extend(piece.embedded_text for piece in prepare(document).chunks)
        if len(texts) >= count:
            break
    return texts[:count]


def _rates(texts: Sequence[str]) -> Table:
    """The packaged graph beside ours, one text after the other on one thread."""
    table = Table("graph", "texts/s", "CPU ms/text", title="embedding of chunks")
    for name, make in (("packaged", packaged_network), ("int8", int8_network)):
        model = MiniLM(make)
        model.embed(texts[0])
        began, cpu = time.perf_counter(), time.process_time()
        for text in texts:
            model.embed(text)
        table.add_row(name, *_rate(len(texts), began, cpu))
    return table


def _rate(count: int, began: float, cpu: float) -> tuple[str, str]:
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
    """Note, in MB, the most memory that this process and those that work for it hold together."""
    most = [0.0]
    done = threading.Event()

    def watch() -> None:
        me = psutil.Process()
        while not done.wait(0.05):
            held = 0
            for process in (me, *me.children()):
                with suppress(psutil.Error):
                    held += process.memory_info().rss if process.name() != "postgres" else 0
            most[0] = max(most[0], held / 2**20)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()


def main() -> None:
    """Run everything on a PostgreSQL of its own, thrown away at the end."""
    arguments = _arguments()
    folder = Path(tempfile.mkdtemp(prefix="footnote-bench-"))
    folder.chmod(0o755)  # PostgreSQL's user has to get into it
    try:
        with use(folder / "data") as server:
            asyncio.run(_bench(arguments, server, folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
