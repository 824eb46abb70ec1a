"""One counter of everything that happened, and a way to wait for the next change."""

import asyncio
from collections.abc import Awaitable, Callable

type Keep = Callable[[], Awaitable[None]]


async def _nothing_to_keep() -> None:
    """Do nothing: this workspace lives in memory only."""


class Changes:
    """A revision number that only grows; waiters wake at every step.

    `keep` returns once all changes so far would survive a crash. It is awaited before anybody
    outside is told of a change, as Slack would: what was sent or answered is never lost.
    """

    def __init__(self) -> None:
        self.keep: Keep = _nothing_to_keep
        self.revision: int = 0
        self._moved: asyncio.Event = asyncio.Event()

    def touch(self) -> int:
        """Count one change, wake all waiters, return the new revision."""
        self.revision += 1
        self._moved.set()
        self._moved = asyncio.Event()
        return self.revision

    async def after(self, revision: int) -> None:
        """Wait until something has changed since `revision`."""
        while self.revision <= revision:
            await self._moved.wait()
