"""What comes to mind at a question: the nearest memories, else the most important ones.

It never fails a turn: without the embedder, or without the database, less is recalled.
"""

import time

import structlog

from bot.memory.memories import Memory, Owner, Recalled
from bot.memory.store import Memories
from retrieval.embedding import Embedder
from retrieval.errors import EmbedderDown, QueryFailed

__all__ = ["Recall"]

_LOG = structlog.get_logger("footnote.memory")
_MOST_CHARACTERS = 1_500  # in a prompt, whose room is for passages


class Recall:
    """Recalls for one owner at a time; holds no state."""

    def __init__(self, memories: Memories, embedder: Embedder) -> None:
        self._memories: Memories = memories
        self._embedder: Embedder = embedder

    async def __call__(self, owner: Owner, words: str) -> Recalled:
        """Return what the owner told that may matter for these words."""
        began = time.perf_counter()
        try:
            recalled = await self._recalled(owner, words)
        except QueryFailed as error:
            _LOG.warning("recall_failed", error=type(error.__cause__ or error).__name__)
            recalled = Recalled(how="failed")
        milliseconds = (time.perf_counter() - began) * 1000
        return Recalled(_fitting(recalled.memories), recalled.how, milliseconds)

    async def _recalled(self, owner: Owner, words: str) -> Recalled:
        try:
            vector = await self._embedder.embed_query(words)
        except EmbedderDown:
            return Recalled(tuple(await self._memories.foremost(owner)), "blind")
        if near := await self._memories.nearest(owner, vector):
            return Recalled(tuple(near), "meaning")
        return Recalled(tuple(await self._memories.foremost(owner)), "foremost")


def _fitting(memories: tuple[Memory, ...]) -> tuple[Memory, ...]:
    kept: list[Memory] = []
    left = _MOST_CHARACTERS
    for each in memories:
        left -= len(each.content)
        if left >= 0:
            kept.append(each)
    return tuple(kept)
