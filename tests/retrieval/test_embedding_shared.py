"""One vector a question, whoever asks for it, and whoever leaves early."""

import asyncio

import pytest

from retrieval.embedding import Vector
from retrieval.embedding_shared import SharedQueries
from retrieval.errors import EmbedderDown
from tests.retrieval.bag_of_words import BagOfWords


class Slow(BagOfWords):
    """Answers when told to, and counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.go: asyncio.Event = asyncio.Event()
        self.asked: list[str] = []

    async def embed_query(self, text: str) -> Vector:
        """The vector, once it may go."""
        self.asked.append(text)
        await self.go.wait()
        return await super().embed_query(text)


async def reached(slow: Slow, count: int) -> None:
    """Wait until it was asked so often."""
    async with asyncio.timeout(5):
        while len(slow.asked) < count:  # noqa: ASYNC110  # it has no event for each call
            await asyncio.sleep(0)


async def test_the_same_question_costs_one_call() -> None:
    """While it is asked; another question has a call of its own, and so has the next turn."""
    slow = Slow()
    shared = SharedQueries(slow)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(shared.embed_query(each)) for each in ("a", "a", "b", "a")]
        await reached(slow, 2)
        slow.go.set()
    assert slow.asked == ["a", "b"]
    vectors = [task.result() for task in tasks]
    assert (vectors[0] == vectors[1]).all()
    assert (vectors[0] != vectors[2]).any()
    await shared.embed_query("a")
    assert slow.asked == ["a", "b", "a"]


async def test_whoever_leaves_takes_nothing_away() -> None:
    """The first is cancelled in its call: one of those that wait asks anew."""
    slow = Slow()
    shared = SharedQueries(slow)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(shared.embed_query("a"))
        await reached(slow, 1)
        others = [group.create_task(shared.embed_query("a")) for _ in range(3)]
        await asyncio.sleep(0)
        others[0].cancel()
        first.cancel()
        await reached(slow, 2)
        slow.go.set()
    assert first.cancelled()
    assert others[0].cancelled()
    assert (others[1].result() == others[2].result()).all()
    assert slow.asked == ["a", "a"]


async def test_an_embedder_that_is_down_is_so_for_all_who_wait() -> None:
    """Nobody waits for a second time-out, and the next question tries again."""
    slow = Slow()
    shared = SharedQueries(slow)
    slow.down = True

    async def refused() -> None:
        with pytest.raises(EmbedderDown, match="doesn't answer"):
            await shared.embed_query("a")

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(refused())
        await reached(slow, 1)
        slow.go.set()
    assert slow.asked == ["a"]
    slow.down = False
    await shared.embed_query("a")
