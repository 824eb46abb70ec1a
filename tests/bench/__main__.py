"""`make bench`: how fast, how large, how good; tables whose rows grow with the corpus.

Figures of a busy machine are low and noisy: compare rows of one run. CPU milliseconds, which
wait for nobody, are those of this process and its children; the server's are told apart. The
last table holds what was measured against what is asked.
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import psycopg
from psycopg import sql
from rich.console import Console
from rich.table import Table

from retrieval.documents import Filters
from retrieval.embedding import Embedder, bundled_embedder
from retrieval.minilm import MiniLM, int8_network, packaged_network
from retrieval.prepared import prepare
from retrieval.readers.reading import read
from retrieval.store import Store
from schema import Pool, Server, engine_named, migrate, open_pool, use
from tests.bench.context import context_time
from tests.bench.ingesting import COLUMNS, parts, rate, timed_ingest
from tests.bench.recall import memory_recall
from tests.bench.scifact import scifact
from tests.bench.searching import STAGES, cells, timed_searches
from tests.bench.session import session_window
from tests.bench.synthetic import SyntheticEmbedder, write_documents
from tests.bench.targets import Figures
from tests.bench.turn import turn_overhead

_SCIFACT = Path(__file__).parents[3] / "shared/data/scifact"
_WITH_MODEL = 20_000  # chunks; a tenth of them through the model takes a minute
_ASKED_AT = 20_000  # chunks at which speed is asked for
_LARGE = 100_000
_FILTERS = (("", Filters()), ("1 %", Filters(services=("s7",))))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench ARGS=…", description=__doc__)
    parser.add_argument(
        "--chunks",
        type=int,
        nargs="*",
        default=[1_000, 5_000, 20_000],
        help="sizes to measure speed at; none of them leaves SciFact alone",
    )
    parser.add_argument("--large", action="store_true", help=f"{_LARGE:,} chunks as well")
    parser.add_argument("--engine", default="pg_search")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--texts", type=int, default=100, help="texts to embed for the rate")
    parser.add_argument("--scifact", type=Path, default=_SCIFACT, help="folder of the data set")
    parser.add_argument("--no-scifact", action="store_true", help="leave it out: it takes minutes")
    return parser.parse_args()


class _Bench:
    """One run: its server, its folder, and what it has found so far."""

    def __init__(self, arguments: argparse.Namespace, server: Server, folder: Path) -> None:
        self._arguments = arguments
        self._engine: str = arguments.engine
        self._server = server
        self._folder = folder
        self._figures = Figures()
        self._console = Console()

    async def run(self) -> None:
        """Measure all that is wanted, and show it as it comes."""
        await self._turns()
        sizes: list[int] = [*self._arguments.chunks, *([_LARGE] if self._arguments.large else [])]
        async with bundled_embedder() as model:
            if sizes:
                await self._speed(sizes)
                await self._with_model(sizes, model)
                texts = await asyncio.to_thread(
                    _texts, self._pages(sizes[0]), self._arguments.texts
                )
                await asyncio.to_thread(self._rates, texts)
            if not self._arguments.no_scifact:
                await self._quality(model)
        self._console.print(self._figures.table())

    async def _turns(self) -> None:
        async with self._database("session") as pool:
            windows = Table(
                "events",
                "characters",
                "turns shown",
                "p50 ms",
                "p95 ms",
                title="window of a session",
            )
            for length in (100, 1_100):
                row, p50 = await session_window(pool, length)
                windows.add_row(*row)
                name = f"window of a session, passages of {length:,} characters, p50"
                self._figures.at_most(name, p50, 3, "ms")
            self._console.print(windows)
        async with self._database("recall") as pool:
            recalls = Table("memories", "p50 ms", "p95 ms", "recall", title="recall of a person's")
            for count in (1_000, 10_000):
                row, p50, found = await memory_recall(pool, count)
                recalls.add_row(*row)
            self._figures.at_most("recall among 10,000 memories, p50", p50, 5, "ms")
            self._figures.at_least("recall of the nearest five of them", found, 0.99)
            self._console.print(recalls)
        async with self._database("context"):
            together = Table(
                "window", "memories", "search", "all", "all ÷ slowest", title="context, p50 ms"
            )
            row, ratio = await context_time(self._server.url_for("context"))
            together.add_row(*row)
            self._figures.at_most("window, memories and search", ratio, 1.2, "times the slowest")
            self._console.print(together)
        async with self._database("turn"):
            turns = Table("turns", "p50 ms", "p95 ms", "of it the model's call", title="a turn")
            row, p50 = await turn_overhead(self._server.url_for("turn"))
            turns.add_row(*row)
            self._figures.at_most("a turn's own time, p50", p50, 30, "ms")
            self._console.print(turns)

    async def _speed(self, sizes: Sequence[int]) -> None:
        ingests = Table(*COLUMNS, title="ingest, without the model")
        searches = Table(
            "chunks", "filter", *STAGES, title="search, p50 / p95 ms, without the model"
        )
        medians: dict[int, float] = {}
        for size in sizes:
            pages = self._pages(size)
            await asyncio.to_thread(pages.mkdir)
            await asyncio.to_thread(write_documents, pages, size)
            async with self._database(f"bench{size}") as pool:
                done = await timed_ingest(
                    self._server, pool, self._engine, SyntheticEmbedder(), pages
                )
                ingests.add_row(*done.cells())
                store = Store(pool, engine_named(self._engine))
                for name, filters in _FILTERS:
                    spent = await timed_searches(store, self._arguments.queries, filters)
                    searches.add_row(f"{done.chunks:,}", name, *cells(spent))
                    if not name:
                        medians[size] = float(np.median(spent["total"]))
            if size == _ASKED_AT:
                self._figures.at_least("ingest without embedding", done.rate, 3_000, "chunks/s")
                self._figures.at_most("search in 20,000 chunks, p50", medians[size], 15, "ms")
        if {_ASKED_AT, _LARGE} <= medians.keys():
            ratio = medians[_LARGE] / medians[_ASKED_AT]
            self._figures.at_most("search in 100,000 chunks", ratio, 2, "times that")
        self._console.print(ingests, searches)
        self._console.print(await asyncio.to_thread(parts, self._pages(sizes[0])))

    async def _with_model(self, sizes: Sequence[int], model: Embedder) -> None:
        flat = Table(*COLUMNS, title="ingest, a tenth of the calls to the model")
        for size in (each for each in sizes if each <= _WITH_MODEL):
            async with self._database(f"flat{size}") as pool:
                done = await timed_ingest(
                    self._server, pool, self._engine, SyntheticEmbedder(model), self._pages(size)
                )
            flat.add_row(*done.cells())
            if size == _ASKED_AT:
                name = "memory of an ingest of 20,000 chunks, with the embedder"
                self._figures.at_most(name, done.peak_mb, 600, "MB")
        self._console.print(flat)

    def _rates(self, texts: Sequence[str]) -> None:
        """The packaged graph beside ours, one text after the other on one thread."""
        table = Table("graph", "texts/s", "CPU ms/text", title="embedding of chunks")
        seconds: list[float] = []
        for name, make in (("packaged", packaged_network), ("int8", int8_network)):
            model = MiniLM(make)
            model.embed(texts[0])
            began, cpu = time.perf_counter(), time.process_time()
            for text in texts:
                model.embed(text)
            table.add_row(name, *rate(len(texts), began, cpu))
            seconds.append(time.process_time() - cpu)
        self._console.print(table)
        self._figures.at_least("embedding", seconds[0] / seconds[1], 2, "times the packaged rate")

    async def _quality(self, model: Embedder) -> None:
        folder: Path = self._arguments.scifact
        if not await asyncio.to_thread(folder.is_dir):
            self._console.print(f"SciFact is left out: there is no {folder}; see --scifact.")
            return
        async with self._database("scifact") as pool:
            store = Store(pool, engine_named(self._engine))
            found = await scifact(store, model, folder)
            documents, chunks = await store.counts()
        title = f"SciFact, {documents:,} abstracts in {chunks:,} chunks"
        table = Table("search", "nDCG@10", "R@20", title=title)
        for name, quality in found.items():
            figures = (quality.ndcg_at_10, quality.recall_at_20)
            table.add_row(name, *(f"{each:.4f}" for each in figures))
        self._console.print(table)
        fused = found["fused 20"]
        self._figures.at_least("SciFact, nDCG@10", fused.ndcg_at_10, 0.71)
        self._figures.at_least("SciFact, R@20", fused.recall_at_20, 0.89)

    def _pages(self, size: int) -> Path:
        return self._folder / f"pages{size}"

    @asynccontextmanager
    async def _database(self, name: str) -> AsyncGenerator[Pool]:
        async with await psycopg.AsyncConnection.connect(
            self._server.url, autocommit=True
        ) as admin:
            await admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url = self._server.url_for(name)
        await migrate(url, vector_size=384, engine=self._engine)
        async with open_pool(url, engine=self._engine, max_size=6) as pool:
            yield pool


def _texts(pages: Path, count: int) -> list[str]:
    texts: list[str] = []
    for file in sorted(pages.iterdir()):
        document = read(file.name, file.read_bytes(), source=file.name)
        texts.extend(piece.embedded_text for piece in prepare(document).chunks)
        if len(texts) >= count:
            break
    return texts[:count]


def main() -> None:
    """Run everything on a PostgreSQL of its own, thrown away at the end."""
    arguments = _arguments()
    folder = Path(tempfile.mkdtemp(prefix="footnote-bench-"))
    folder.chmod(0o755)  # PostgreSQL's user has to get into it
    try:
        with use(folder / "data") as server:
            asyncio.run(_Bench(arguments, server, folder).run())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
