"""An ingest that is killed, and one whose own processes are."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest

from retrieval.errors import ReadingStopped
from retrieval.ingest import ingest
from retrieval.report import IngestReport
from retrieval.sources import Source, collect
from retrieval.workbench import open_workbench
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import ENGINES, open_store

both_engines = pytest.mark.parametrize("engine", ENGINES, indirect=True)

DOCUMENTS = 240  # enough for processes to read and cut them

KILLED = """
import asyncio, sys
from pathlib import Path
from retrieval.ingest import ingest
from retrieval.sources import collect
from tests.retrieval.bag_of_words import BagOfWords
from tests.retrieval.corpora import open_store

class Slow(BagOfWords):
    async def embed_documents(self, texts):
        await asyncio.sleep(0.02)
        return await super().embed_documents(texts)

async def main():
    async with open_store(sys.argv[1], sys.argv[2]) as store:
        collected = collect([Path(sys.argv[3])])
        await ingest(store, Slow(), collected, progress=lambda each: print(each.done, flush=True))

asyncio.run(main())
"""


@both_engines
def test_an_ingest_killed_halfway_leaves_whole_documents(
    database_url: str, engine: str, tmp_path: Path
) -> None:
    """After SIGKILL each document is whole or not there at all, and the next run does the rest.

    The processes that read for it end by themselves.
    """
    for number in range(DOCUMENTS):
        body = "\n\n".join(f"## Part {n}\n\n" + f"Word{n} and more. " * 60 for n in range(4))
        (tmp_path / f"{number:03}.md").write_text(f"# Document {number}\n\n{body}")
    command = [sys.executable, "-c", KILLED, database_url, engine, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        helpers: list[psutil.Process] = []
        for line in process.stdout:
            if int(line) >= 10:
                helpers = psutil.Process(process.pid).children(recursive=True)
                process.send_signal(signal.SIGKILL)
                break
    assert helpers
    assert psutil.wait_procs(helpers, timeout=30)[1] == []
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT document, count(*), max(position) + 1 FROM corpus GROUP BY document"
        ).fetchall()
        (documents,) = connection.execute("SELECT count(*) FROM document").fetchone() or (0,)
    assert 10 <= len(rows) < DOCUMENTS
    assert documents == len(rows)
    assert len({row[1:] for row in rows}) == 1
    assert all(count == last for _, count, last in rows)

    collected = collect([tmp_path])

    async def again() -> IngestReport:
        async with open_store(database_url, engine) as store:
            return await ingest(store, BagOfWords(), collected)

    report = asyncio.run(again())
    assert (report.unchanged, report.added) == (len(rows), DOCUMENTS - len(rows))


async def test_few_and_many_sources_are_read_alike() -> None:
    """What a thread reads and cuts, a process reads and cuts the same way, with the same errors."""
    sources = [Source("a.md", b"# A\n\nWords of it."), Source("b.bin", b"\x00\x01")]
    results: list[object] = []
    for many in (1, DOCUMENTS):
        async with open_workbench(many) as workbench:
            (found, refused) = await workbench.read(sources, allow_secrets=False)
            assert isinstance(found, tuple)
            results.append((found, str(refused), await workbench.prepare([found[0]])))
    assert results[0] == results[1]


async def test_a_reader_that_dies_ends_the_ingest_with_a_sentence() -> None:
    """Nothing waits for a process that the system has ended."""
    before = set(psutil.Process().children())
    async with open_workbench(DOCUMENTS) as workbench:
        await workbench.read([Source("a.md", b"# A")], allow_secrets=False)
        for child in set(psutil.Process().children()) - before:
            child.kill()
        with pytest.raises(ReadingStopped, match="lack of memory"):
            await workbench.read([Source("a.md", b"# A")], allow_secrets=False)
