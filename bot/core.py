"""What answers questions, with or without Slack: what is opened for it, in which order.

database → embedder → reranker → pool → search → model → agent
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.agent import Agent
from bot.database import Database, ready
from bot.extractive import Extractive
from bot.limits import Budget
from bot.memory import Memories
from bot.model import Model
from bot.model_servers import open_embedder, open_model, open_reranker
from bot.reasoner import Reasoner
from bot.settings import Settings
from bot.tools import Registry
from retrieval.catalogue import Catalogue
from retrieval.embedding import Embedder
from retrieval.embedding_shared import SharedQueries
from retrieval.search import Search
from retrieval.store import Store
from schema import Pool, engine_named, inspect, open_pool

__all__ = ["BACKGROUND_TASKS", "Core", "open_core"]

BACKGROUND_TASKS = 2
"""How many run at once beside the turns."""


@dataclass(frozen=True, slots=True)
class Core:
    """What answers questions, with or without Slack."""

    pool: Pool
    store: Store
    embedder: Embedder
    search: Search
    model: Model | None
    agent: Agent
    catalogue: Catalogue
    memories: Memories


@asynccontextmanager
async def open_core(settings: Settings, database: Database) -> AsyncGenerator[Core]:
    """Open everything that an answer takes."""
    facts = await inspect(database.url)
    async with AsyncExitStack() as stack:
        # In an incident the embedder may be down: the table says what it needs to know.
        embedder = SharedQueries(
            await stack.enter_async_context(
                open_embedder(settings, size_when_down=facts.vector_size)
            )
        )
        reranker = await stack.enter_async_context(open_reranker(settings))
        engine = await ready(database, settings, embedder.size, embedder.name)
        pool = await stack.enter_async_context(
            open_pool(database.url, engine=engine, max_size=_pool_size(settings))
        )
        store = Store(pool, engine_named(engine))
        search = Search(store, embedder, reranker=reranker, max_distance=settings.max_distance)
        model = await stack.enter_async_context(open_model(settings))
        reasoner = None
        if model is not None:
            budget = Budget(seconds=settings.turn_seconds, context=settings.model_context)
            tools = await asyncio.to_thread(Registry.found)
            reasoner = Reasoner(model, tools, budget, settings.model or "")
        agent = Agent(search, Extractive(embedder), reasoner)
        catalogue = Catalogue(pool, engine_named(engine))
        memories = Memories(pool, settings.memory_limit)
        yield Core(pool, store, embedder, search, model, agent, catalogue, memories)


def _pool_size(settings: Settings) -> int:
    """A turn holds one connection with its lock, searches with two and recalls with one.

    The rest is for the intake, background tasks and for watching what runs.
    """
    return 4 * settings.concurrency + 7 + 2 * BACKGROUND_TASKS
