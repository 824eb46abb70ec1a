"""The demo's bot, in a process of its own, so that it can be killed and started again.

Run as a program, this module is that process. It reads one line of JSON, what differs from the
settings it finds, and runs until it is told to stop or until whoever wrote that line is gone.
"""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

from pydantic import AnyHttpUrl, SecretStr

from bot.app import Roles, serve
from bot.cli.terminal import FAILURES, say
from bot.database import Database, open_database
from bot.logs import configure
from bot.settings import Settings, load_settings

__all__ = ["BotProcess", "main", "of_demo"]

type Changes = dict[str, Any]

_KEPT_ALIVE = 100.0  # seconds for its own grace and the database


class BotProcess:
    """One process of the bot at a time; `changes` are settings of the next one to start."""

    def __init__(self, changes: Changes) -> None:
        self.changes: Changes = changes
        self._process: Process | None = None
        self._replacing: asyncio.Lock = asyncio.Lock()

    async def start(self) -> None:
        """Start it; it connects a moment later."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot.cli.demo.process",
            stdin=PIPE,
            start_new_session=True,  # a Ctrl-C at the terminal is for the demo, which stops it
        )
        stdin = self._process.stdin
        if stdin is not None:
            stdin.write(json.dumps(self.changes).encode() + b"\n")
            await stdin.drain()

    async def crash(self) -> None:
        """End it as a power cut would, and start another one."""
        await self._again(signal.SIGKILL)

    async def restart(self, **changes: Any) -> None:
        """End it in good order, and start another one with settings changed."""
        self.changes = {**self.changes, **changes}
        await self._again(signal.SIGTERM)

    async def stop(self) -> None:
        """End it in good order, within its grace."""
        await self._end(signal.SIGTERM)

    async def ended(self) -> int:
        """Wait until it ends by itself; returns its exit code."""
        while True:
            process = self._process
            code = 0 if process is None else await process.wait()
            async with self._replacing:
                if process is self._process:
                    return code

    async def _again(self, how: signal.Signals) -> None:
        async with self._replacing:
            await self._end(how)
            await self.start()

    async def _end(self, how: signal.Signals) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(how)
        try:
            async with asyncio.timeout(_KEPT_ALIVE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def of_demo(settings: Settings, data_dir: Path) -> Settings:
    """Use an embedded database of the demo's own, whatever is set.

    The sample runbooks describe a shop that doesn't exist: they must not get into a corpus that
    people on call rely on.
    """
    update = {"database_url": None, "data_dir": data_dir, "slack_mode": "socket"}
    return settings.model_copy(update=update)


def main() -> None:
    """Be the bot."""
    changes: Changes = json.loads(sys.stdin.readline())
    try:
        settings = _changed(load_settings(), changes)
        configure("warning", people=True)
        with open_database(settings) as database:
            asyncio.run(_serve_with_parent(settings, database))
    except FAILURES as error:
        say(f"footnote: {error}")
        sys.exit(1)


async def _serve_with_parent(settings: Settings, database: Database) -> None:
    """Serve until told to stop, or until the demo is gone: then the input ends."""
    loop = asyncio.get_running_loop()

    def orphaned() -> None:
        loop.remove_reader(sys.stdin)
        os.kill(os.getpid(), signal.SIGTERM)

    loop.add_reader(sys.stdin, orphaned)
    await serve(settings, database, Roles(listen=False))


def _changed(settings: Settings, changes: Changes) -> Settings:
    """Apply what was sent: plain JSON, so secrets, paths and addresses are made of texts here."""
    update: Changes = {
        "slack_bot_token": SecretStr(changes["bot_token"]),
        "slack_app_token": SecretStr(changes["app_token"]),
        "slack_api_url": changes["api_url"],
    }
    if changes.get("model_url"):
        update |= {"model_url": (AnyHttpUrl(changes["model_url"]),), "model": "none"}
    if changes.get("reranker_url"):
        update |= {"reranker_url": AnyHttpUrl(changes["reranker_url"])}
    return of_demo(settings, Path(changes["data_dir"])).model_copy(update=update)


if __name__ == "__main__":
    main()
