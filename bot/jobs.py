"""The queue: wake-ups for sessions, the worker that runs them, the sweep that misses nothing.

The queue is procrastinate's. A job only says "look at this session"; what there is to do stands
in the inbox, so a lost or doubled job does no harm. procrastinate's own `lock` is not used: a
killed worker would keep it.

Beside the turns there is background work, which may take long and never holds a turn up: tasks
of other rooms, each run at least once, also after a worker was killed in it.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from procrastinate import App, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Status
from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool

from bot import inbox
from bot.inbox import Connection
from bot.voice import transcripts

__all__ = ["DATABASE_ERRORS", "Pool", "Queue"]

# What a lost or failing database looks like: to psycopg, and through the queue.
DATABASE_ERRORS = (Error, ConnectorException)

_LOG = structlog.get_logger("footnote.jobs")
_TURNS = "turns"
_BACKGROUND = "background"
_ATTEMPTS = 3  # at a background task that fails; the wait before each doubles
_DRAIN = "drain_session"
_POLL_SECONDS = 1.0  # when a notification is lost
_HEARTBEAT_SECONDS = 5.0
_STALLED_SECONDS = 15.0
_LONGEST_PAUSE = 5.0  # seconds between restarts of a worker that stopped

type Pool = AsyncConnectionPool[AsyncConnection]


class Queue:
    """Wakes sessions, and runs a worker for them. `pool` stays its opener's."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._app = App(connector=PsycopgConnector())

    async def open(self) -> None:
        """Let the queue use the pool."""
        await self._app.open_async(self._pool)

    async def wake(self, connection: Connection, session: str, later: float | None = None) -> None:
        """Add a wake-up job for a session in the caller's transaction, for now or seconds later."""
        task = self._app.configure_task(
            _DRAIN,
            queue=_TURNS,
            connection=connection,
            schedule_in=None if later is None else {"seconds": later},
            priority=0 if later is None else 1,  # who has waited comes first
        )
        await task.defer_async(session=session)

    def background(self, name: str, run: Callable[..., Awaitable[None]]) -> None:
        """Add a background task, before `work_background`. A repetition must do no harm.

        It is run again when it raises or its worker dies, three times in all.
        """
        retry = RetryStrategy(max_attempts=_ATTEMPTS - 1, exponential_wait=2)

        @self._app.task(name=name, queue=_BACKGROUND, retry=retry)
        async def run_task(**arguments: str) -> None:
            # The worker cancels at its end what it sees to be a coroutine function.
            await run(**arguments)

        del run_task  # the app knows it by its name

    async def later(
        self, connection: Connection, task: str, /, seconds: float | None = None, **arguments: str
    ) -> None:
        """Have a background task run once the caller's transaction is committed, or later."""
        deferrer = self._app.configure_task(
            task,
            queue=_BACKGROUND,
            connection=connection,
            schedule_in=None if seconds is None else {"seconds": seconds},
        )
        await deferrer.defer_async(**arguments)

    async def work_background(self, *, concurrency: int, grace_seconds: float) -> None:
        """Run background tasks until cancelled, as `work` does the turns."""
        await self._work(_BACKGROUND, concurrency, grace_seconds, forget="successful")

    async def work(
        self,
        drain: Callable[[str], Awaitable[None]],
        *,
        concurrency: int,
        grace_seconds: float,
    ) -> None:
        """Run a worker until cancelled, and start it again whenever the database fails it.

        Cancelled, it takes no new jobs, lets the running ones finish for `grace_seconds`, then
        cancels them; their messages stay pending.
        """

        @self._app.task(name=_DRAIN, queue=_TURNS)
        async def drain_session(session: str) -> None:
            try:
                await drain(session)
            except DATABASE_ERRORS as error:
                # Not this job's failure: the message waits, and the sweep wakes its session.
                _LOG.warning("drain_lost_database", session=session, error=type(error).__name__)

        del drain_session  # the app knows it by its name
        # How a wake-up has ended says nothing: what there is to do stands in the inbox.
        await self._work(_TURNS, concurrency, grace_seconds, forget="always")

    async def _work(
        self, queue: str, concurrency: int, grace_seconds: float, *, forget: str
    ) -> None:
        pause = 0.1
        while True:
            began = asyncio.get_running_loop().time()
            try:
                await self._app.run_worker_async(
                    queues=[queue],
                    name=f"footnote {queue}",
                    concurrency=concurrency,
                    fetch_job_polling_interval=_POLL_SECONDS,
                    shutdown_graceful_timeout=grace_seconds,
                    update_heartbeat_interval=_HEARTBEAT_SECONDS,
                    stalled_worker_timeout=_STALLED_SECONDS,
                    install_signal_handlers=False,
                    delete_jobs=forget,
                )
            except DATABASE_ERRORS as error:
                _LOG.warning("worker_lost_database", error=type(error).__name__)
            else:
                _LOG.warning("worker_stopped")
            long_lived = asyncio.get_running_loop().time() - began > _LONGEST_PAUSE
            pause = 0.1 if long_lived else min(pause * 2, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

    async def sweep(self, every_seconds: float) -> None:
        """Until cancelled, at once and then regularly: wake what waits, end what stalled."""
        while True:
            try:
                await self._sweep_once()
            except DATABASE_ERRORS as error:
                _LOG.warning("sweep_failed", error=type(error).__name__)
                await asyncio.sleep(min(1.0, every_seconds))
            else:
                await asyncio.sleep(every_seconds)

    async def _sweep_once(self) -> None:
        async with self._pool.connection(timeout=5) as connection:
            waiting = await inbox.waiting_sessions(connection)
            await inbox.forget_replies(connection)
            await transcripts.forget_old(connection)
        for session in waiting:
            deferrer = self._app.configure_task(
                _DRAIN, queue=_TURNS, queueing_lock=f"{_DRAIN}:{session}"
            )
            try:
                await deferrer.defer_async(session=session)
            except AlreadyEnqueued:
                continue
        stalled = await self._app.job_manager.get_stalled_jobs(
            seconds_since_heartbeat=_STALLED_SECONDS
        )
        for job in stalled:
            if job.queue == _BACKGROUND and job.attempts < _ATTEMPTS:
                await self._app.job_manager.retry_job(job)
                continue
            # A dead worker's wake-up: what it was to wake, if it still waits, was woken above.
            await self._app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
