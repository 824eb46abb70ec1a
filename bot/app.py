"""The composition root: what is opened, in which order, and so what is closed, in reverse.

database → Slack's client → core → queue → worker → door. On SIGTERM or SIGINT the door closes
first; running turns get their grace; what is left stays pending.
"""

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass

import structlog

from bot.core import open_core
from bot.database import Database, ready
from bot.doors import open_http, open_socket
from bot.errors import BotError
from bot.health import Health, open_health
from bot.intake import Intake
from bot.jobs import Queue
from bot.listeners import Parts, register
from bot.metrics import Metrics, SlackErrors
from bot.model_servers import open_transcriber
from bot.people import People
from bot.places import Places
from bot.settings import Settings
from bot.slack import Identity, check_app_token, identify, new_app, open_client, required
from bot.worker import open_worker
from schema import SchemaError, Server, open_pool

__all__ = ["Roles", "serve", "stopping_on_signals"]

_LOG = structlog.get_logger("footnote.app")
_KEEPER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Roles:
    """What a process does: receive from Slack, answer what was received, or both.

    `listen` serves `/healthz` and its like also where Slack's requests don't come in over HTTP.
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
        metrics = Metrics()
        client = await stack.enter_async_context(open_client(settings, [SlackErrors(metrics)]))
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
        people = People(client, identity.team, groups=settings.rules.user_groups)
        called = roles.web and settings.slack_mode == "http"
        looked_at = open_health(pool, metrics, works=roles.worker and not called)
        health = await stack.enter_async_context(looked_at)
        if settings.metrics_port is not None:
            watched = open_http(settings.metrics_host, settings.metrics_port, health)
            await stack.enter_async_context(watched)
        async with asyncio.TaskGroup() as tasks:
            running: list[asyncio.Task[None]] = []
            if database.server is not None:
                running.append(tasks.create_task(_keep(database.server)))
            if core is not None:
                transcriber = await stack.enter_async_context(open_transcriber(settings))
                worker = open_worker(
                    settings, core, queue, client, identity, people, metrics, transcriber
                )
                work = await stack.enter_async_context(worker)
                running += [tasks.create_task(each) for each in work]
            async with AsyncExitStack() as doors:
                port = None
                if roles.web:
                    intake = Intake(pool, queue, identity.bot_user)
                    places = Places(client)
                    parts = Parts(pool, queue, client, identity, intake, settings, people, places)
                    port = await _open_doors(doors, roles, parts, health)
                _LOG.info("started", team=identity.team, web=roles.web, worker=roles.worker)
                announce(identity, port)
                await stop.wait()
                _LOG.info("stopping")
            for task in running:
                task.cancel()


async def _open_doors(
    doors: AsyncExitStack, roles: Roles, parts: Parts, health: Health
) -> int | None:
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
        door = open_http(settings.host, settings.port, health, app)
        return await doors.enter_async_context(door)
    token = await check_app_token(parts.client, settings)
    app = new_app(parts.client, parts.identity, None)
    register(app, parts)
    port = None
    if roles.listen:
        port = await doors.enter_async_context(open_http(settings.host, settings.port, health))
    health.line = await doors.enter_async_context(open_socket(app, token))
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
