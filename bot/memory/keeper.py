"""Doing what a message asks of the memory, and saying so in one line, without the words.

The line stands in a thread that others read. A message that is taken up again does no harm: the
same words are known by then, or gone.
"""

from bot.memory.memories import Fact, Owner
from bot.memory.rules import refusal
from bot.memory.sayings import Saying
from bot.memory.store import Embedded, Memories
from retrieval.embedding import Embedder
from retrieval.embedding_calls import checked
from retrieval.errors import EmbedderDown

__all__ = ["OFF", "Keeper", "embedded"]

OFF = "Memory is off for you, so I keep nothing. `/memory on` turns it on."
_UNKNOWN = "I have no memory that says that. `/memory list` shows what I have."
_MEANT = 0.8  # likeness from which on it is clear which memory is meant
_TOLD = 0.9  # importance of what somebody wants remembered


class Keeper:
    """Keeps and forgets for one owner at a time."""

    def __init__(self, memories: Memories, embedder: Embedder) -> None:
        self._memories: Memories = memories
        self._embedder: Embedder = embedder

    async def do(self, owner: Owner, said: Saying, thread: str | None = None) -> str:
        """Do what was asked; returns the sentence that says what came of it.

        Raises:
            QueryFailed: the database is down.
        """
        if said.verb == "forget":
            return await self._forget(owner, said.words)
        if why := refusal(said.words, owner.user):
            return why
        return await self._remember(owner, said.words, thread)

    async def _remember(self, owner: Owner, words: str, thread: str | None) -> str:
        try:
            vector = await embedded(self._embedder, words)
        except EmbedderDown:
            vector = None
        fact = Fact(words, "FACT", _TOLD)
        kept = await self._memories.add(owner, fact, vector, thread=thread)
        if kept is None:
            return OFF
        if kept.known:
            return f"I know that already: it is your memory {kept.number}."
        instead = " It takes the place of what you had told me before." * (kept.replaced > 0)
        return f"Noted, as your memory {kept.number}; only you can see it.{instead}"

    async def _forget(self, owner: Owner, words: str) -> str:
        gone = await self._memories.forget_words(owner, words)
        if not gone:
            gone = await self._forget_meant(owner, words)
        return "Forgotten: 1 memory." if gone else _UNKNOWN

    async def _forget_meant(self, owner: Owner, words: str) -> int:
        """Forget the one memory that is clearly meant by other words than its own."""
        try:
            _, vector = await embedded(self._embedder, words)
        except EmbedderDown:
            return 0
        near = await self._memories.nearest(owner, vector, limit=1, at_least=_MEANT)
        return sum([await self._memories.forget(owner, each.number) for each in near])


async def embedded(embedder: Embedder, content: str) -> Embedded:
    """Return a memory's vector with the name of who made it.

    Raises:
        EmbedderDown: nobody makes one.
    """
    (vector,) = await embedder.embed_documents([content])
    return embedder.name, checked(vector)
