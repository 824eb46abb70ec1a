"""`footnote demo`: the whole bot with a stand-in for Slack, on this machine alone."""

import asyncio
import fcntl
import socket
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from bot import channel_settings
from bot.app import stopping_on_signals
from bot.channel_settings import ChannelSettings
from bot.cli.demo.faults import dead_ends, switches
from bot.cli.demo.process import BotProcess, of_demo
from bot.cli.demo.tour import ALERTING, tour
from bot.cli.demo.trace import TraceSource
from bot.cli.ingest import ingest_with_bar, summary
from bot.cli.terminal import FAILURES, fail, say
from bot.core import open_core
from bot.database import Database, open_database, ready
from bot.errors import BadInput, BotError, PortInUse
from bot.logs import configure
from bot.manifest import load_manifest
from bot.playground import Backstage, Playground, PlaygroundError
from bot.settings import Settings, load_settings
from retrieval.sources import collect
from schema import Pool, default_data_dir, open_pool

__all__ = ["demo"]

DEFAULT_PORT = 8765


class DemoEnded(BotError):
    """The demo's bot ended by itself; its last lines say why."""


def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = DEFAULT_PORT,
) -> None:
    """Try everything in a browser: no Slack, no keys, no network."""
    try:
        settings = load_settings()
        data_dir = settings.data_dir or default_data_dir() / "demo"
        settings = of_demo(settings, data_dir)
        configure("warning", people=True)
        _require_free(port)
        say("Footnote: starting PostgreSQL …")
        with open_database(settings) as database, _only_demo(data_dir):
            asyncio.run(_demo(settings, database, data_dir, port))
        say("Stopped.")
    except FAILURES as error:
        fail(str(error))


def _require_free(port: int) -> None:
    """Notice a port in use before anything is started."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PortInUse(
                f"Port {port} is taken ({error.strerror}): stop the program that has it, or take"
                ' any free one with `make demo ARGS="--port 0"`.'
            ) from error


@contextmanager
def _only_demo(data_dir: Path) -> Generator[None]:
    """Let one demo at a time use a data folder: two would take each other's messages."""
    with (data_dir / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadInput(
                f"A demo runs on {data_dir} already: use that one, or set FOOTNOTE_DATA_DIR to"
                " another folder."
            ) from error
        yield


async def _demo(settings: Settings, database: Database, data_dir: Path, port: int) -> None:
    stop = asyncio.Event()
    with stopping_on_signals(stop):
        await _ingest_samples(settings, database)
        try:
            async with AsyncExitStack() as stack:
                await _serve(stack, settings, database, data_dir, port, stop)
        except* PlaygroundError as group:
            raise PortInUse(str(group.exceptions[0])) from group
        except* DemoEnded as group:
            raise DemoEnded(str(group.exceptions[0])) from group


async def _serve(  # noqa: PLR0913, PLR0917  # all that the demo is put together of
    stack: AsyncExitStack,
    settings: Settings,
    database: Database,
    data_dir: Path,
    port: int,
    stop: asyncio.Event,
) -> None:
    manifest = await asyncio.to_thread(load_manifest)
    engine = await ready(database, settings)
    pool = await stack.enter_async_context(open_pool(database.url, engine=engine, max_size=2))
    slack = Playground(
        port=port,
        state_path=data_dir / "playground.json",
        commands=manifest.commands,
        shortcuts=manifest.shortcuts,
        subscriptions=manifest.events,
        home=manifest.home,
    )
    await stack.enter_async_context(slack)
    await _watch_alerts(pool, slack)
    bot = BotProcess(
        {
            "data_dir": str(data_dir),
            "bot_token": slack.bot_token,
            "app_token": slack.app_token,
            "api_url": slack.api_url,
        }
    )
    tasks = await stack.enter_async_context(asyncio.TaskGroup())
    ends = stack.enter_context(dead_ends())
    slack.offer(
        Backstage(
            tour=tour(ingests="/ingest" in manifest.commands),
            trace=TraceSource(pool),
            switches=switches(slack, bot, ends, tasks),
        )
    )
    await bot.start()
    stack.push_async_callback(bot.stop)
    watching = tasks.create_task(_watch(bot))
    stack.callback(watching.cancel)
    announcing = tasks.create_task(_announce(slack, data_dir))
    stack.callback(announcing.cancel)
    await stop.wait()
    say("Stopping …")


async def _watch_alerts(pool: Pool, slack: Playground) -> None:
    """Have the tour's alert answered in the first channel, unless it was set otherwise."""
    workspace = slack.workspace
    known = [user for user in workspace.users.values() if user.real_name == ALERTING]
    alerting = known[0] if known else workspace.add_bot(ALERTING)
    channel = next(iter(workspace.channels))
    async with pool.connection() as connection:
        there = await channel_settings.read_all(connection, workspace.team.id, [channel])
        if not there and alerting.bot_id:
            watched = ChannelSettings(bots=(alerting.bot_id,), alert_watch=True)
            await channel_settings.write(
                connection, workspace.team.id, channel, watched, workspace.bot.id
            )


async def _watch(bot: BotProcess) -> None:
    code = await bot.ended()
    raise DemoEnded(f"The demo's bot ended by itself, exit code {code}: what it said is above.")


async def _announce(slack: Playground, data_dir: Path) -> None:
    await slack.socket.wait_connected(1)
    _tell(slack.base_url, data_dir)


async def _ingest_samples(settings: Settings, database: Database) -> None:
    say("Reading the sample runbooks …")
    samples = Path(str(resources.files("bot") / "samples"))
    found = await asyncio.to_thread(collect, [samples])
    async with open_core(settings, database) as core:
        report = await ingest_with_bar(core, found)
    say(f"Sample runbooks: {summary(report)}.")
    for failure in report.failed:
        say(f"  failed: {failure.reason}")


def _tell(url: str, data_dir: Path) -> None:
    say(f"\nOpen {url}\n")
    say("What to try stands above the box there. Traffic, Trace and Faults show what is behind it.")
    asking = ".venv/bin/footnote ask 'how do I roll back a deploy?'"
    say(f"In a terminal: FOOTNOTE_DATA_DIR={data_dir} {asking}")
    say("Ctrl-C stops everything.\n")
