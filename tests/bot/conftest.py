"""The bot as a process of its own, on a real database with some runbooks, beside a real Slack."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.core import open_core
from bot.database import Database
from bot.playground import Playground
from bot.settings import Settings
from retrieval.ingest import ingest
from retrieval.sources import collect
from schema import Server, migrate
from schema.database import Pool, open_pool
from tests.bot.nursery import Child, fork
from tests.conftest import cloned, made_once

SAMPLES = Path(__file__).parents[2] / "bot" / "samples"
CORPUS = ("payments", "platform")
START_SECONDS = 60.0


@pytest.fixture
def corpus_url(server: Server) -> Generator[str]:
    """The address of a database of its own that holds the payments and platform samples."""
    yield from cloned(server, made_once(server, "template_corpus", fill))


async def fill(url: str) -> None:
    """Migrate a database and ingest the tests' corpus into it."""
    await migrate(url, vector_size=384)
    found = await asyncio.to_thread(collect, [SAMPLES / folder for folder in CORPUS])
    async with open_core(settings(url), Database(url, None)) as core:
        report = await ingest(core.store, core.embedder, found)
    assert not report.failed


def settings(url: str) -> Settings:
    """Return settings that differ from the defaults in nothing but the database."""
    return Settings.model_validate({"FOOTNOTE_DATABASE_URL": url})


@pytest.fixture
async def pool(corpus_url: str) -> AsyncIterator[Pool]:
    """A pool on the corpus."""
    async with open_pool(corpus_url, engine="pg_search", max_size=8) as opened:
        yield opened


@pytest.fixture
async def slack() -> AsyncIterator[Playground]:
    """A stand-in for Slack that retries soon."""
    async with Playground(retry_delays=(0.2, 0.5, 1.0, 2.0), ack_timeout=3.0) as playground:
        yield playground


@dataclass
class Bot:
    """A running process of the bot."""

    process: Child
    lines: list[dict[str, object]]

    async def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """End it as an operator would; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()

    def events(self, name: str) -> list[dict[str, object]]:
        """The log lines of one event."""
        return [line for line in self.lines if line.get("event") == name]


type Start = Callable[..., Awaitable[Bot]]


@pytest.fixture
async def start(slack: Playground, corpus_url: str) -> AsyncGenerator[Start]:
    """Starts processes of the bot, connected to the stand-in and the corpus."""
    async with starter(slack, {"FOOTNOTE_DATABASE_URL": corpus_url}) as begin:
        yield begin


@asynccontextmanager
async def starter(slack: Playground, environment: dict[str, str]) -> AsyncGenerator[Start]:
    """Start processes with some variables set; all are ended when the context is left."""
    bots: list[Bot] = []
    async with asyncio.TaskGroup() as readers:

        async def begin(role: str = "run", **variables: str) -> Bot:
            variables = {
                **os.environ,  # noqa: TID251  # a child inherits it
                "FOOTNOTE_SLACK_BOT_TOKEN": slack.bot_token,
                "FOOTNOTE_SLACK_APP_TOKEN": slack.app_token,
                "FOOTNOTE_SLACK_SIGNING_SECRET": slack.signing_secret,
                "FOOTNOTE_SLACK_API_URL": slack.api_url,
                "FOOTNOTE_PORT": "0",
                "FOOTNOTE_SWEEP_SECONDS": "1",
                # Many questions in one channel would wait for each other.
                "FOOTNOTE_POSTS_PER_SECOND": "1000",
                # No pointers, which come or not as the machine is fast; their tests set 0.
                "FOOTNOTE_POINTER_SECONDS": "60",
                **environment,
                **variables,
            }
            said, err = socket.socketpair()
            with err:
                process = await asyncio.to_thread(fork, [role], variables, err=err.fileno())
            process.watch()
            bot = Bot(process, [])
            bots.append(bot)
            started = asyncio.Event()
            readers.create_task(_read(bot, said, started))
            async with asyncio.timeout(START_SECONDS):
                await started.wait()
            assert bot.events("started"), f"the bot ended at its start: {bot.lines}"
            return bot

        try:
            yield begin
        finally:
            for bot in bots:
                if bot.process.returncode is None:
                    await bot.kill()


async def _read(bot: Bot, said: socket.socket, started: asyncio.Event) -> None:
    reader, writer = await asyncio.open_connection(sock=said)
    with closing(writer):
        async for line in reader:
            try:
                bot.lines.append(json.loads(line))
            except ValueError:
                bot.lines.append({"event": "text", "text": line.decode(errors="replace")})
            if bot.lines[-1].get("event") == "started":
                started.set()
    started.set()
