"""One counter of everything that happened, and a way to wait for the next change."""

import asyncio


class Changes:
    """A revision number that only grows; waiters wake at every step."""

    def __init__(self) -> None:
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
