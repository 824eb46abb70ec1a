"""Text to vectors: what an embedder is, and the bundled one that needs no network."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from retrieval.errors import EmbedderDown
from retrieval.late_interaction import maxsim

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from retrieval.late_interaction import TokenVectors
    from retrieval.minilm import MiniLM

__all__ = ["Embedder", "Vector", "bundled_embedder"]

type Vector = npt.NDArray[np.float32]
"""Shape (size,), of length 1 (L2)."""

# Of the bundled model; known without loading it.
BUNDLED_NAME = "all-MiniLM-L6-v2-int8"
BUNDLED_SIZE = 384

# Two texts at a time fill two cores, and more threads would only add memory (60 MB each).
DOCUMENT_THREADS = 2


class Embedder(Protocol):
    """Turns texts into vectors of `size` numbers; `name` tells one model from another."""

    @property
    def name(self) -> str:
        """The model's name, the same for the same vectors."""
        ...

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question.

        Raises:
            EmbedderDown: the model doesn't answer.
        """
        ...

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of chunks, in their order.

        Raises:
            EmbedderDown: the model doesn't answer; nothing of the batch counts.
        """
        ...

    async def maxsim(self, question: str, passages: Sequence[str]) -> list[float] | None:
        """How much of a question each passage says (`retrieval.late_interaction`), in their order.

        Returns:
            None for a model of which only the vectors of whole texts are known.

        Raises:
            EmbedderDown: the model doesn't answer.
        """
        ...


class _BundledEmbedder:
    """MiniLM behind two executors, so that a question never queues behind an ingest."""

    def __init__(self, model: "MiniLM", queries: Executor, documents: Executor) -> None:
        self._model: MiniLM = model
        self._queries: Executor = queries
        self._documents: Executor = documents
        self._reading: asyncio.Lock = asyncio.Lock()
        self.name: str = model.name
        self.size: int = model.size

    async def embed_query(self, text: str) -> Vector:
        (vector,) = await self._run(self._queries, self._model.embed, [text])
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return await self._run(self._documents, self._model.embed, texts)

    async def maxsim(self, question: str, passages: Sequence[str]) -> list[float]:
        read: list[TokenVectors] = []
        # One text at a time, of all that are read: a question's vector waits for no other.
        async with self._reading:
            for text in (question, *passages):
                read += await self._run(self._queries, self._model.token_vectors, [text])
        asked, *found = read
        return [maxsim(asked, each) for each in found]

    async def _run[T](
        self, executor: Executor, work: Callable[[str], T], texts: Sequence[str]
    ) -> list[T]:
        """One job a text: cancelling drops those that wait, and never stops one halfway."""
        loop = asyncio.get_running_loop()
        jobs: list[asyncio.Future[T]] = []
        try:
            jobs.extend(loop.run_in_executor(executor, work, text) for text in texts)
            return await asyncio.gather(*jobs)
        except asyncio.CancelledError as exc:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise EmbedderDown("The embedder was stopped before it got to this text.") from exc
        except Exception as exc:
            raise EmbedderDown(
                "The bundled embedder failed; the log has the reason. Start the bot again."
            ) from exc
        finally:
            for job in jobs:
                job.cancel()


def _load() -> "MiniLM":
    # Imported here because onnxruntime takes a quarter of a second, in this thread and not
    # in the start of every command.
    from retrieval.minilm import MiniLM  # noqa: PLC0415 - the reason stands above

    return MiniLM()


@asynccontextmanager
async def bundled_embedder() -> AsyncGenerator[Embedder]:
    """The embedder that comes with the packages, loaded at entry; 384 dimensions.

    Leaving waits for the texts that are running, at most some 0.2 s, and drops those that wait.

    Raises:
        WeightsDamaged: a file of the model is missing or differs from what was shipped.
    """
    queries = ThreadPoolExecutor(1, "embed-query")
    documents = ThreadPoolExecutor(DOCUMENT_THREADS, "embed-documents")
    try:
        loop = asyncio.get_running_loop()
        model = await loop.run_in_executor(queries, _load)
        yield _BundledEmbedder(model, queries, documents)
    finally:
        for executor in (queries, documents):
            executor.shutdown(wait=False, cancel_futures=True)
        await asyncio.shield(asyncio.to_thread(_wait_for, queries, documents))


def _wait_for(*executors: Executor) -> None:
    for executor in executors:
        executor.shutdown(wait=True)
