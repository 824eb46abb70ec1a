"""Where an ingest reads and cuts its documents: for few sources in threads, for many in processes.

A thread shares the interpreter's lock with the event loop, which waits for it at every turn;
beside processes the loop is free, and other cores are at work. To start one takes half a second,
so a handful of documents is better off without.
"""

import asyncio
import pickle
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from retrieval.documents import Document
from retrieval.errors import ReadingStopped
from retrieval.prepared import PreparedDocument
from retrieval.sources import Source
from retrieval.workshop import LENGTH, Read, prepare_all, read_batch

__all__ = ["Workbench", "open_workbench"]

_MANY: Final = 200  # sources
_BUFFER: Final = 2**22


type _Run = Callable[..., Awaitable[Any]]
"""Calls a function somewhere else, with the arguments that follow it."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """Reads sources and prepares documents, elsewhere than on the event loop."""

    reader: _Run
    cutter: _Run

    async def read(self, sources: Sequence[Source], *, allow_secrets: bool) -> list[Read]:
        """Read the first sources, as many as make a batch.

        Raises:
            ReadingStopped: the process that reads has died.
        """
        found: list[Read] = await self.reader(read_batch, sources, allow_secrets)
        return found

    async def prepare(self, documents: Sequence[Document]) -> list[PreparedDocument]:
        """Cut documents into chunks, and those into tokens.

        Raises:
            ReadingStopped: the process that cuts has died.
        """
        prepared: list[PreparedDocument] = await self.cutter(prepare_all, documents)
        return prepared


@asynccontextmanager
async def open_workbench(sources: int) -> AsyncGenerator[Workbench]:
    """Open a workbench for so many sources."""
    if sources <= _MANY:
        yield Workbench(asyncio.to_thread, asyncio.to_thread)
        return
    async with _elsewhere() as reader, _elsewhere() as cutter:
        yield Workbench(reader, cutter)


@asynccontextmanager
async def _elsewhere() -> "AsyncGenerator[_Elsewhere]":
    process = await asyncio.create_subprocess_exec(
        # -P: without it the current folder, often the one ingested, would be asked for modules.
        *(sys.executable, "-P", "-c", "from retrieval.workshop import serve; serve()"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_BUFFER,
        start_new_session=True,  # Ctrl-C is for us; it ends when we do
    )
    try:
        yield _Elsewhere(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


class _Elsewhere:
    """Lets a process of `retrieval.workshop` do the work, one piece after the other."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process: asyncio.subprocess.Process = process
        self._turn: asyncio.Lock = asyncio.Lock()

    async def __call__(self, work: Callable[..., Any], *arguments: Any) -> Any:
        requests, answers = self._process.stdin, self._process.stdout
        if requests is None or answers is None:
            raise ValueError("The process has to be opened with pipes.")
        body = await asyncio.to_thread(pickle.dumps, (work.__name__, arguments))
        try:
            async with self._turn:
                requests.write(len(body).to_bytes(LENGTH) + body)
                await requests.drain()
                size = int.from_bytes(await answers.readexactly(LENGTH))
                answer = await answers.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise ReadingStopped(
                "The process that reads the documents was ended, perhaps for lack of memory: "
                "ingest fewer at once, or without the largest."
            ) from error
        done, result = await asyncio.to_thread(pickle.loads, answer)
        if not done:
            raise result
        return result
