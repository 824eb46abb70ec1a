"""`footnote demo`: the whole bot with a stand-in for Slack, on this machine alone."""

import asyncio
import fcntl
import socket
from collections.abc import Generator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from bot.app import Database, Roles, open_core, open_database, serve
from bot.cli.ingest import ingest_with_bar, summary
from bot.cli.terminal import FAILURES, fail, say
from bot.errors import BadInput, PortInUse
from bot.listeners.shortcut import ASK
from bot.logs import configure
from bot.playground import Playground, PlaygroundError
from bot.settings import Settings, load_settings
from bot.slack import Identity
from retrieval.sources import collect
from schema import default_data_dir

__all__ = ["SUGGESTIONS", "demo"]

DEFAULT_PORT = 8765
SUGGESTIONS = (
    "@Footnote ERR_5032 on a refund, what do I do?",
    "@Footnote how do I roll back a deploy?",
    "@Footnote how do I rotate the kafka broker certificates?",
    "/ask search results are stale service:search type:runbook",
)
SHORTCUTS = ({"name": "Ask about this", "type": "message", "callback_id": ASK},)


def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = DEFAULT_PORT,
) -> None:
    """Try everything in a browser: no Slack, no keys, no network."""
    try:
        settings = _settings(load_settings())
        configure("warning", people=True)
        _require_free(port)
        say("Footnote: starting PostgreSQL …")
        with open_database(settings) as database, _only_demo(settings.data_dir):
            asyncio.run(_demo(settings, database, port))
        say("Stopped.")
    except FAILURES as error:
        fail(str(error))


def _settings(settings: Settings) -> Settings:
    """Use an embedded database of the demo's own, whatever is set.

    The sample runbooks describe a shop that doesn't exist: they must not get into a corpus that
    people on call rely on.
    """
    return settings.model_copy(
        update={
            "database_url": None,
            "data_dir": settings.data_dir or default_data_dir() / "demo",
            "slack_mode": "socket",
        }
    )


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
def _only_demo(data_dir: Path | None) -> Generator[None]:
    """Let one demo at a time use a data folder: two would take each other's messages."""
    with ((data_dir or default_data_dir()) / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadInput(
                f"A demo runs on {data_dir} already: use that one, or set FOOTNOTE_DATA_DIR to"
                " another folder."
            ) from error
        yield


async def _demo(settings: Settings, database: Database, port: int) -> None:
    await _ingest_samples(settings, database)
    data_dir = settings.data_dir or default_data_dir()
    try:
        async with Playground(
            port=port,
            state_path=data_dir / "playground.json",
            suggestions=SUGGESTIONS,
            commands=("/ask", "/filter", "/footnote", "/ingest", "/memory"),
            shortcuts=SHORTCUTS,
        ) as slack:
            connected = settings.model_copy(
                update={
                    "slack_bot_token": SecretStr(slack.bot_token),
                    "slack_app_token": SecretStr(slack.app_token),
                    "slack_api_url": slack.api_url,
                }
            )

            def announce(_identity: Identity, _port: int | None) -> None:
                _tell(slack.base_url, data_dir)

            await serve(connected, database, Roles(listen=False), announce)
            say("Stopping …")
    except PlaygroundError as error:
        raise PortInUse(str(error)) from error


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
    say("Try, in #payments-oncall:")
    for suggestion in SUGGESTIONS:
        say(f"  {suggestion}")
    say("then ask on in the thread: “and in staging?”")
    say(f"In a terminal: FOOTNOTE_DATA_DIR={data_dir} .venv/bin/footnote ask “…”")
    say("Ctrl-C stops everything.\n")
