"""Background tasks: each runs at least once, whatever happens to the worker that has it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from psycopg import AsyncConnection

from bot.jobs import Queue
from schema.database import Pool, open_pool


class Runs:
    """What a task was called with; it fails, or hangs, as often as it is told to."""

    def __init__(self, *, failures: int = 0, hangs: int = 0) -> None:
        self.names: list[str] = []
        self.seen = asyncio.Event()
        self._failures = failures
        self._hangs = hangs

    async def __call__(self, name: str) -> None:
        """Note the run."""
        self.names.append(name)
        self.seen.set()
        if len(self.names) <= self._hangs:
            await asyncio.Event().wait()
        if len(self.names) <= self._failures:
            raise RuntimeError("on purpose")


@asynccontextmanager
async def worker(url: str, runs: Runs, grace_seconds: float = 5.0) -> AsyncGenerator[Pool]:
    """Run background tasks with a queue of their own."""
    async with open_pool(url, engine="pg_search", max_size=6) as pool, asyncio.TaskGroup() as tasks:
        queue = Queue(pool)
        queue.background("note", runs)
        await queue.open()
        work = queue.work_background(concurrency=1, grace_seconds=grace_seconds)
        running = tasks.create_task(work)
        try:
            yield pool
        finally:
            running.cancel()


async def defer(pool: Pool, name: str) -> None:
    """Have the task run, as a process would that knows it by its name only."""
    queue = Queue(pool)
    await queue.open()
    async with pool.connection() as connection, connection.transaction():
        await queue.later(connection, "note", name=name)


async def jobs(pool: Pool) -> list[tuple[str, str]]:
    """Return the queue and the state of each job that is left."""
    async with pool.connection() as connection:
        cursor = await connection.execute("SELECT queue_name, status::text FROM procrastinate_jobs")
        return [(str(queue), str(status)) for queue, status in await cursor.fetchall()]


async def until_left(pool: Pool, *left: tuple[str, str]) -> None:
    """Wait for these jobs, and no others, to be left."""
    async with asyncio.timeout(30):
        while True:
            if await jobs(pool) == [*left]:
                return
            await asyncio.sleep(0.05)


async def test_a_task_that_fails_is_run_again(database_url: str) -> None:
    """Twice more, after which it counts as failed."""
    runs = Runs(failures=1)
    async with worker(database_url, runs) as pool:
        await defer(pool, "a")
        await until_left(pool)
    assert runs.names == ["a", "a"]


async def test_a_task_fails_for_good_after_three_runs(database_url: str) -> None:
    """What can't be done is not tried for ever."""
    runs = Runs(failures=9)
    async with worker(database_url, runs) as pool:
        await defer(pool, "a")
        await until_left(pool, ("background", "failed"))
    assert runs.names == ["a", "a", "a"]


async def test_a_task_cut_off_by_the_end_of_its_worker_is_run_by_the_next(
    database_url: str,
) -> None:
    """Cancelled after the grace, it waits for another worker."""
    cut, whole = Runs(hangs=1), Runs()
    async with worker(database_url, cut, grace_seconds=0.1) as pool:
        await defer(pool, "a")
        async with asyncio.timeout(10):
            await cut.seen.wait()
    assert cut.names == ["a"]
    async with worker(database_url, whole) as pool:
        await until_left(pool)
    assert whole.names == ["a"]


async def test_a_task_of_a_dead_worker_is_run_by_the_next(
    database_url: str, connection: AsyncConnection
) -> None:
    """As after SIGKILL: the job is still "doing", and its worker sends no sign of life."""
    dead, alive = Runs(hangs=1), Runs()
    async with worker(database_url, dead, grace_seconds=0.1) as pool:
        await defer(pool, "a")
        async with asyncio.timeout(10):
            await dead.seen.wait()
    await connection.execute(
        "WITH gone AS (INSERT INTO procrastinate_workers (last_heartbeat)"
        " VALUES (now() - interval '1 hour') RETURNING id)"
        " UPDATE procrastinate_jobs SET status = 'doing', worker_id = gone.id FROM gone"
    )
    async with worker(database_url, alive) as pool, asyncio.TaskGroup() as tasks:
        queue = Queue(pool)
        await queue.open()
        sweep = tasks.create_task(queue.sweep(0.5))
        await until_left(pool)
        sweep.cancel()
    assert alive.names == ["a"]


async def test_what_is_rolled_back_never_runs(database_url: str) -> None:
    """A task belongs to the transaction that asked for it."""
    runs = Runs()
    async with worker(database_url, runs) as pool:
        queue = Queue(pool)
        await queue.open()
        async with pool.connection() as connection, connection.transaction(force_rollback=True):
            await queue.later(connection, "note", name="a")
        await defer(pool, "b")
        await until_left(pool)
    assert runs.names == ["b"]
