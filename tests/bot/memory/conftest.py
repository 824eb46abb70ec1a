"""Memories on a real database, with an embedder that needs no model."""

from collections.abc import AsyncIterator

import pytest

from bot.memory import Fact, Memories, Owner
from bot.memory.store import Embedded
from schema.database import Pool, open_pool
from tests.chat_server import ChatServer, chat_server
from tests.retrieval.bag_of_words import BagOfWords

ANA = Owner("T1", "UANA")
BEN = Owner("T1", "UBEN")


@pytest.fixture
async def bare_pool(database_url: str) -> AsyncIterator[Pool]:
    """A pool on a database without documents."""
    async with open_pool(database_url, engine="pg_search", max_size=12) as opened:
        yield opened


@pytest.fixture
def memories(bare_pool: Pool) -> Memories:
    """The memories of that database; a person may have thirty."""
    return Memories(bare_pool, cap=30)


@pytest.fixture
async def chat() -> AsyncIterator[ChatServer]:
    """A chat server that says what the test tells it to."""
    async with chat_server() as running:
        yield running


@pytest.fixture
def words() -> BagOfWords:
    """An embedder: the more words two texts share, the nearer they are."""
    return BagOfWords()


async def embedded(words: BagOfWords, content: str) -> Embedded:
    """A memory's vector."""
    return words.name, (await words.embed_documents([content]))[0]


async def told(
    memories: Memories, words: BagOfWords, owner: Owner, content: str, importance: float = 0.5
) -> int:
    """Have something remembered; returns its number."""
    fact = Fact(content, importance=importance)
    kept = await memories.add(owner, fact, await embedded(words, content))
    assert kept is not None
    return kept.number


async def listed(memories: Memories, owner: Owner) -> list[str]:
    """The words of all memories of somebody, newest first."""
    return [each.content for each in (await memories.page(owner, 100))[0]]
