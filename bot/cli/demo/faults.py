"""What goes wrong in the demo at the flick of a switch: servers that are down, and a power cut."""

import asyncio
import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bot.cli.demo.process import BotProcess
from bot.playground import Hold, Playground, Switch, When

__all__ = ["DeadEnds", "dead_ends", "switches"]

_POST = "chat.postMessage"


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """Addresses that lead nowhere: one refuses, one takes requests and never answers."""

    refusing: str
    silent: str


@contextmanager
def dead_ends() -> Generator[DeadEnds]:
    """Hold two ports, so that nobody else answers there."""
    with socket.socket() as refusing, socket.socket() as silent:
        for each in (refusing, silent):
            each.bind(("127.0.0.1", 0))
        silent.listen()
        addresses = (f"http://127.0.0.1:{each.getsockname()[1]}" for each in (refusing, silent))
        yield DeadEnds(*addresses)


def switches(
    slack: Playground, bot: BotProcess, ends: DeadEnds, tasks: asyncio.TaskGroup
) -> Sequence[Switch]:
    """Make the switches of the page. Those of servers start the bot anew with other settings."""

    async def model(on: bool) -> None:  # noqa: FBT001 - the one thing a switch is told
        await bot.restart(model_url=ends.refusing if on else None)

    async def reranker(on: bool) -> None:  # noqa: FBT001 - the one thing a switch is told
        await bot.restart(reranker_url=ends.silent if on else None)

    crash = _Crash(slack, bot, tasks)
    return [
        Switch(
            "model",
            "Model down",
            "The bot gets a chat model whose server refuses every connection.",
            lambda: bool(bot.changes.get("model_url")),
            model,
        ),
        Switch(
            "reranker",
            "Reranker slow",
            "The bot gets a reranker that takes requests and never answers them.",
            lambda: bool(bot.changes.get("reranker_url")),
            reranker,
        ),
        Switch(
            "crash",
            "Kill the bot in the middle of its next answer",
            "It dies once Slack has its post and before it knows; another one takes over.",
            lambda: crash.armed,
            crash.turn,
        ),
    ]


class _Crash:
    """Kills the bot between "message stored" and "answer received", once."""

    def __init__(self, slack: Playground, bot: BotProcess, tasks: asyncio.TaskGroup) -> None:
        self._slack = slack
        self._bot = bot
        self._tasks = tasks
        self._waiting: asyncio.Task[None] | None = None

    @property
    def armed(self) -> bool:
        """Whether the next post will be its last."""
        return self._waiting is not None and not self._waiting.done()

    async def turn(self, on: bool) -> None:  # noqa: FBT001 - the one thing a switch is told
        """Arm it, or disarm it."""
        if self._waiting is not None and not on:
            self._waiting.cancel()
        elif on and not self.armed:
            hold = self._slack.faults.hold(_POST, when=When.AFTER)
            self._waiting = self._tasks.create_task(self._strike(hold))

    async def _strike(self, hold: Hold) -> None:
        try:
            await hold.reached.wait()
            await self._bot.crash()
        finally:
            hold.release()
