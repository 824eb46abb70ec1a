"""The composition root: what is opened, in which order, and so what is closed, in reverse.

database → embedder → reranker → pool → search → model → agent → queue → Slack's client → worker →
door. On SIGTERM or SIGINT the door closes first; running turns get their grace; what is left stays
pending.
"""

import asyncio
import signal
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass

import structlog

from bot import summary
from bot.agent import Agent
from bot.delivery import Delivery
from bot.doors import open_http, open_socket
from bot.drain import Drain, Limits
from bot.errors import BotError
from bot.extractive import Extractive
from bot.forget import expire
from bot.intake import Intake
from bot.jobs import Queue
from bot.joining import Joining
from bot.knowledge.addresses import Hosts
from bot.knowledge.fetch import open_fetcher
from bot.knowledge.task import Ingesting
from bot.limits import Budget
from bot.listeners import Parts, register
from bot.memory import Memories, learning
from bot.memory.keeper import Keeper
from bot.memory.learning import Learner
from bot.memory.mind import Mind
from bot.memory.recall import Recall
from bot.model import Model
from bot.model_servers import open_embedder, open_model, open_reranker, vector_size
from bot.notices import TASK as TELL
from bot.notices import Notices
from bot.people import People
from bot.places import Places
from bot.pointer import Pointers
from bot.reasoner import Reasoner
from bot.running import Running
from bot.settings import Settings
from bot.slack import Identity, check_app_token, identify, new_app, open_client, required
from bot.status import Status
from bot.summary import Summaries, by_model, extractive
from bot.tools import Registry
from retrieval.catalogue import Catalogue
from retrieval.embedding import Embedder
from retrieval.embedding_shared import SharedQueries
from retrieval.search import Search
from retrieval.store import Store
from schema import (
    Pool,
    SchemaError,
    Server,
    check,
    default_data_dir,
    engine_named,
    inspect,
    migrate,
    open_pool,
    use,
)

__all__ = [
    "Core",
    "Database",
    "Roles",
    "open_core",
    "open_database",
    "ready",
    "serve",
    "stopping_on_signals",
]

_LOG = structlog.get_logger("footnote.app")
_KEEPER_SECONDS = 2.0
_BACKGROUND_TASKS = 2  # at once


@dataclass(frozen=True, slots=True)
class Database:
    """The database in use. `server` is there when it is the embedded one."""

    url: str
    server: Server | None


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


@contextmanager
def open_database(settings: Settings) -> Generator[Database]:
    """Use the database that is set, or start (or share) the embedded one."""
    if settings.database_url is not None:
        yield Database(settings.database_url.get_secret_value(), None)
        return
    with use(settings.data_dir or default_data_dir()) as server:
        yield Database(server.url, server)


async def ready(
    database: Database, settings: Settings, size: int | None = None, name: str | None = None
) -> str:
    """Return the engine of a database that is up to date.

    The embedded database is brought up to date here; another one by `footnote migrate`, since
    several processes and people may stand on it. With an embedder's `size` and `name`, the
    stored vectors have to be of this size and by it; without one no embedder has to answer.
    """
    if size is None:
        size = await vector_size(settings, database.url)
    if database.server is not None:
        await migrate(database.url, vector_size=size, engine=settings.engine)
    return (await check(database.url, vector_size=size, embedder=name)).engine


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


@dataclass(frozen=True, slots=True)
class Roles:
    """What a process does: receive from Slack, answer what was received, or both.

    `listen` serves `/healthz` also where Slack's requests don't come in over HTTP.
    """

    web: bool = True
    worker: bool = True
    listen: bool = True


type Announce = Callable[[Identity, int | None], None]


async def serve(
    settings: Settings, database: Database, roles: Roles, announce: Announce | None = None
) -> None:
    """Run the bot until SIGTERM or SIGINT.

    Args:
        settings: the settings.
        database: the database, open.
        roles: what this process does.
        announce: called once everything runs, with the port when one is open.

    Raises:
        BotError, SchemaError: something that a person can mend.
    """
    stop = asyncio.Event()
    with stopping_on_signals(stop):
        try:
            await _serve(settings, database, roles, announce or _silent, stop)
        except* (BotError, SchemaError) as group:
            raise _first(group) from group


async def _serve(
    settings: Settings, database: Database, roles: Roles, announce: Announce, stop: asyncio.Event
) -> None:
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(open_client(settings))
        identity = await identify(client)
        core = None
        if roles.worker:
            core = await stack.enter_async_context(open_core(settings, database))
            pool = core.pool
        else:
            engine = await ready(database, settings)
            pool = await stack.enter_async_context(open_pool(database.url, engine=engine))
        queue = Queue(pool)
        await queue.open()
        people = People(client, identity.team)
        async with asyncio.TaskGroup() as tasks:
            running: list[asyncio.Task[None]] = []
            if database.server is not None:
                running.append(tasks.create_task(_keep(database.server)))
            if core is not None:
                limits = Limits(attempts=settings.attempts)
                turns = Running(pool)
                joining = Joining(client, identity.bot_user)
                delivery = Delivery(client)
                pointers = Pointers(pool, delivery, Status(client), settings.pointer_seconds)
                mind = Mind(
                    Recall(core.memories, core.embedder),
                    Keeper(core.memories, core.embedder),
                    people.person,
                )
                learner = Learner(pool, core.memories, core.embedder, core.model)
                queue.background(learning.TASK, learner)
                queue.background(learning.SETTLE, learner.settle)
                drain = Drain(
                    pool, queue, core.agent, delivery, pointers, turns, joining, limits, mind
                )
                work = queue.work(
                    drain.session,
                    concurrency=settings.concurrency,
                    grace_seconds=settings.grace_seconds,
                )
                running.append(tasks.create_task(work))
                summaries = Summaries(pool, by_model(core.model) if core.model else extractive)
                queue.background(summary.TASK, summaries.write)
                notices = Notices(pool, delivery, Places(client))
                queue.background(TELL, notices.tell)
                running.append(tasks.create_task(notices.watch()))
                hosts = Hosts(settings.fetch_hosts, settings.fetch_inside)
                fetcher = await stack.enter_async_context(open_fetcher(hosts))
                ingesting = Ingesting(
                    pool=pool,
                    queue=queue,
                    store=core.store,
                    embedder=core.embedder,
                    catalogue=core.catalogue,
                    client=client,
                    people=people,
                    fetcher=fetcher,
                    rules=settings.rules,
                )
                ingesting.offer()
                running.append(tasks.create_task(ingesting.keep_going()))
                background = queue.work_background(
                    concurrency=_BACKGROUND_TASKS, grace_seconds=settings.grace_seconds
                )
                running.append(tasks.create_task(background))
                running.append(tasks.create_task(queue.sweep(settings.sweep_seconds)))
                running.append(tasks.create_task(turns.watch()))
                running.append(tasks.create_task(expire(pool, settings.session_days)))
            async with AsyncExitStack() as doors:
                port = None
                if roles.web:
                    intake = Intake(pool, queue, identity.bot_user)
                    places = Places(client)
                    parts = Parts(pool, queue, client, identity, intake, settings, people, places)
                    port = await _open_doors(doors, roles, parts)
                _LOG.info("started", team=identity.team, web=roles.web, worker=roles.worker)
                announce(identity, port)
                await stop.wait()
                _LOG.info("stopping")
            for task in running:
                task.cancel()


async def _open_doors(doors: AsyncExitStack, roles: Roles, parts: Parts) -> int | None:
    """Let Slack in, over HTTP or a socket; returns the open port, if there is one."""
    settings = parts.settings
    if settings.slack_mode == "http":
        secret = required(
            settings.slack_signing_secret,
            "FOOTNOTE_SLACK_SIGNING_SECRET",
            "the Signing Secret under Basic Information",
        )
        app = new_app(parts.client, parts.identity, secret)
        register(app, parts)
        return await doors.enter_async_context(open_http(settings.host, settings.port, app))
    token = await check_app_token(parts.client, settings)
    app = new_app(parts.client, parts.identity, None)
    register(app, parts)
    port = None
    if roles.listen:
        port = await doors.enter_async_context(open_http(settings.host, settings.port, None))
    await doors.enter_async_context(open_socket(app, token))
    return port


def _silent(_identity: Identity, _port: int | None) -> None:
    """Announce nothing."""


async def _keep(server: Server) -> None:
    """Start the embedded PostgreSQL again when it has died under us."""
    while True:
        await asyncio.sleep(_KEEPER_SECONDS)
        try:
            if await asyncio.to_thread(server.ensure_running):
                _LOG.warning("database_restarted")
        except SchemaError as error:
            _LOG.error("database_does_not_start", error=str(error))  # the sentence says it


@contextmanager
def stopping_on_signals(stop: asyncio.Event) -> Generator[None]:
    """Let the first SIGTERM or SIGINT set the event; a second one ends the process at once."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)

    def on_signal() -> None:
        stop.set()
        for each in signals:
            loop.remove_signal_handler(each)

    for each in signals:
        loop.add_signal_handler(each, on_signal)
    try:
        yield
    finally:
        for each in signals:
            loop.remove_signal_handler(each)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _pool_size(settings: Settings) -> int:
    """A turn holds one connection with its lock, searches with two and recalls with one.

    The rest is for the intake, background tasks and for watching what runs.
    """
    return 4 * settings.concurrency + 7 + 2 * _BACKGROUND_TASKS
