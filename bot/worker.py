"""The worker: what answers turns and works in the background, put together."""

from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot import summary
from bot.asking import Asking
from bot.core import BACKGROUND_TASKS, Core
from bot.delivery import Delivery
from bot.drain import Drain
from bot.forget import expire
from bot.jobs import Queue
from bot.joining import Joining
from bot.knowledge.addresses import Hosts
from bot.knowledge.fetch import open_fetcher
from bot.knowledge.task import Ingesting
from bot.memory import learning
from bot.memory.keeper import Keeper
from bot.memory.learning import Learner
from bot.memory.mind import Mind
from bot.memory.recall import Recall
from bot.metrics import Metrics
from bot.notices import TASK as TELL
from bot.notices import Notices
from bot.pace import Pace
from bot.people import People
from bot.places import Places
from bot.pointer import Pointers
from bot.running import Running
from bot.settings import Settings
from bot.slack import Identity
from bot.status import Status
from bot.summary import Summaries, by_model, extractive
from bot.thinking import Thinking
from bot.voice import Transcriber
from bot.voice.hearing import Hearing
from bot.whispers import Whispers

__all__ = ["open_worker"]


@asynccontextmanager
async def open_worker(  # noqa: PLR0913, PLR0917  # what a worker takes comes together here
    settings: Settings,
    core: Core,
    queue: Queue,
    client: AsyncWebClient,
    identity: Identity,
    people: People,
    metrics: Metrics,
    transcriber: Transcriber | None,
) -> AsyncGenerator[Sequence[Coroutine[Any, Any, None]]]:
    """Put a worker together; yields what has to run, each until it is cancelled."""
    gap = 1 / settings.posts_per_second
    pool, delivery, turns = core.pool, Delivery(client, gap), Running(core.pool)
    status = Status(client)
    pace = Pace(delivery, status, gap)
    places = Places(client)
    mind = Mind(
        Recall(core.memories, core.embedder),
        Keeper(core.memories, core.embedder),
        people.person,
        places.name,
    )
    joining = Joining(client, identity.bot_user)
    drain = Drain(
        pool,
        queue,
        delivery,
        whispers=Whispers(client),
        pointers=Pointers(pool, delivery, status, pace, settings.pointer_seconds),
        pace=pace,
        thinking=Thinking(queue, core.agent, turns, joining, settings.attempts, mind, metrics),
        asking=Asking(people.person, settings.rules),
        metrics=metrics,
        hearing=Hearing(client, turns, status, transcriber, settings.attempts),
    )
    learner = Learner(pool, core.memories, core.embedder, core.model)
    notices = Notices(pool, queue, delivery, places, pace)
    summaries = Summaries(pool, by_model(core.model) if core.model else extractive)
    queue.background(learning.TASK, learner)
    queue.background(learning.SETTLE, learner.settle)
    queue.background(summary.TASK, summaries.write)
    queue.background(TELL, notices.tell)
    async with open_fetcher(Hosts(settings.fetch_hosts, settings.fetch_inside)) as fetcher:
        ingesting = Ingesting(
            pool=pool,
            queue=queue,
            store=core.store,
            embedder=core.embedder,
            catalogue=core.catalogue,
            client=client,
            people=people,
            fetcher=fetcher,
            pace=pace,
            rules=settings.rules,
        )
        ingesting.offer()
        grace = settings.grace_seconds
        yield (
            queue.work(drain.session, concurrency=settings.concurrency, grace_seconds=grace),
            queue.work_background(concurrency=BACKGROUND_TASKS, grace_seconds=grace),
            queue.sweep(settings.sweep_seconds),
            drain.until_stopped(),
            turns.watch(),
            notices.watch(),
            ingesting.keep_going(),
            expire(pool, settings.session_days),
        )
