"""One call for the same question: who asks for its vector meanwhile gets it from the first."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.errors import EmbedderDown

if TYPE_CHECKING:
    from retrieval.embedding import Embedder, Vector

__all__ = ["SharedQueries"]


class SharedQueries:
    """An embedder in front of another: a search and a recall of one turn cost one call."""

    def __init__(self, embedder: "Embedder") -> None:
        self._embedder: Embedder = embedder
        self._running: dict[str, asyncio.Future[Vector]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._embedder.name

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return self._embedder.size

    async def embed_query(self, text: str) -> "Vector":
        """The vector of a question.

        Raises:
            EmbedderDown: the model doesn't answer.
        """
        while (running := self._running.get(text)) is not None:
            await asyncio.wait([running])  # whoever is cancelled here leaves it to the others
            if running.cancelled():
                continue
            if error := running.exception():
                raise EmbedderDown(str(error)) from error
            return running.result()
        return await self._first(text)

    async def embed_documents(self, texts: Sequence[str]) -> "list[Vector]":
        """The vectors of chunks, in their order.

        Raises:
            EmbedderDown: the model doesn't answer; nothing of the batch counts.
        """
        return await self._embedder.embed_documents(texts)

    async def maxsim(self, question: str, passages: Sequence[str]) -> list[float] | None:
        """How much of a question each passage says, None where the model can't tell.

        Raises:
            EmbedderDown: the model doesn't answer.
        """
        return await self._embedder.maxsim(question, passages)

    async def _first(self, text: str) -> "Vector":
        mine: asyncio.Future[Vector] = asyncio.get_running_loop().create_future()
        self._running[text] = mine
        try:
            vector = await self._embedder.embed_query(text)
        except EmbedderDown as error:
            mine.set_exception(error)
            mine.exception()  # it is told by the raise below, whether or not others wait for it
            raise
        else:
            mine.set_result(vector)
            return vector
        finally:
            del self._running[text]
            if not mine.done():
                mine.cancel()  # the next one that waits asks anew
