"""`footnote jobs`: what waits, what runs, what failed; and another try for what failed."""

import asyncio
from typing import Annotated, Any

import typer
from rich.table import Table

from bot import overview
from bot.cli.terminal import prepared, print_json, say, shown
from bot.database import Database, ready
from bot.jobs import Queue
from bot.settings import Settings
from schema import open_pool

__all__ = ["jobs"]


def jobs(
    *,
    retry: Annotated[bool, typer.Option(help="Let all failed messages wait again.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the messages that wait or failed, and the queue's jobs."""
    with prepared(as_json=as_json) as (settings, database):
        report = asyncio.run(_jobs(settings, database, retry=retry))
    if as_json:
        print_json(report)
        return
    if retry:
        say(f"{report['retried']} failed messages wait again.")
    counts: dict[str, int] = report["messages"]
    say("messages: " + (", ".join(f"{n} {state}" for state, n in counts.items()) or "none yet"))
    for job in report["jobs"]:
        say(f"jobs: {job['count']} {job['task']} {job['status']}")
    if report["open"]:
        table = Table("id", "session", "kind", "state", "attempts", "age (s)", "reason")
        for column in table.columns:
            column.overflow = "fold"  # ids are to be copied whole
        for row in report["open"]:
            table.add_row(
                str(row["id"]),
                row["session"],
                row["kind"],
                row["state"],
                str(row["attempts"]),
                f"{row['age_seconds']:.0f}",
                row["reason"] or "",
            )
        shown.print(table)


async def _jobs(settings: Settings, database: Database, *, retry: bool) -> dict[str, Any]:
    engine = await ready(database, settings)
    async with open_pool(database.url, engine=engine, max_size=4) as pool:
        retried = 0
        if retry:
            queue = Queue(pool)
            await queue.open()
            retried = await overview.retry_failed(pool, queue)
        async with pool.connection() as connection:
            report = await overview.read(connection)
        return {**report, "retried": retried}
