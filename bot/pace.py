"""When a channel takes its next post: Slack allows about one a second in each.

The times are taken in the database, so that all workers keep the same pace. Whose time is near
waits for it; whose isn't lets other threads go on, says so in its own, and is woken shortly before.
"""

import asyncio
from typing import Final

from bot.delivery import Delivery
from bot.inbox import Connection, Message
from bot.jobs import Pool, Queue
from bot.sessions import Turn
from bot.status import Status
from schema.sql import load

__all__ = ["InLine", "Pace"]

_SQL = load("bot", "pace.sql")
_NEAR_SECONDS: Final = 2.0
_EARLY_SECONDS: Final = 1.5  # a wake-up takes up to a second, which nobody is to be late by
_STATUS_SECONDS: Final = 90.0  # Slack takes a status away after two minutes
_LATE_SECONDS: Final = 10.0  # whoever is later has lost the time, and takes another
_MOST_SECONDS: Final = 900.0  # the longest line; a clock that is put back makes no longer one


class InLine(Exception):
    """Others post in this channel first; `seconds` is how long they take."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Pace:
    """Keeps posts apart by `gap_seconds` in each channel."""

    def __init__(self, pool: Pool, delivery: Delivery, status: Status, gap_seconds: float) -> None:
        self._pool = pool
        self._delivery = delivery
        self._status = status
        self._gap = gap_seconds

    async def await_turn(self, connection: Connection, message: Message, posts: int = 1) -> None:
        """Return when a message's channel takes its reply, of so many posts, or its question.

        Raises:
            InLine: that is a while off. The time stays the message's.
        """
        seconds, new = await self._time(connection, message, posts)
        if seconds > _NEAR_SECONDS:
            await self._say(message, seconds, new=new)
            raise InLine(seconds)
        await asyncio.sleep(max(seconds, 0))

    async def await_any(self, channel: str) -> None:
        """Return when a channel takes a post that nobody waits for, however long that is."""
        async with self._pool.connection() as connection:
            values = {"channel": channel, "gap": self._gap, "most": _MOST_SECONDS}
            cursor = await connection.execute(_SQL["next_free"], values)
            row = await cursor.fetchone()
        seconds = float(row[0]) if row else 0.0
        await asyncio.sleep(max(seconds, 0))

    async def free(self, connection: Connection, channel: str) -> bool:
        """Tell whether a channel takes a post now; then it has to be made."""
        values = {"channel": channel, "gap": self._gap}
        cursor = await connection.execute(_SQL["free_now"], values)
        return await cursor.fetchone() is not None

    async def hold(self, connection: Connection, message: Message, seconds: float) -> None:
        """Slack wants a pause: nobody posts in the channel until it is over."""
        values = {"id": message.id, "channel": message.channel, "seconds": seconds}
        await connection.execute(_SQL["hold_channel"], values)

    async def wait(
        self, connection: Connection, queue: Queue, message: Message, seconds: float
    ) -> None:
        """Let a message wait for its time, and wake its session shortly before."""
        seconds = max(min(seconds - _EARLY_SECONDS, _STATUS_SECONDS), 0.1)
        async with connection.transaction():
            values = {"id": message.id, "seconds": seconds}
            await connection.execute(_SQL["wait_in_line"], values)
            await queue.wake(connection, message.session, seconds)

    async def step_back(self, connection: Connection, turn: Turn) -> None:
        """Uncount an attempt at a turn that has let others go first, and has posted nothing."""
        values = {"turn": turn.id, "attempt": turn.attempt}
        await connection.execute(_SQL["step_back"], values)

    async def _time(
        self, connection: Connection, message: Message, posts: int
    ) -> tuple[float, bool]:
        """Return how long it is until a message's time, and whether it was taken only now."""
        values = {"id": message.id, "gap": self._gap, "posts": posts}
        values |= {"late": _LATE_SECONDS, "most": _MOST_SECONDS}
        cursor = await connection.execute(_SQL["time_of_message"], values)
        return await cursor.fetchone() or (0.0, False)

    async def _say(self, message: Message, seconds: float, *, new: bool) -> None:
        """Show in a thread that its answer waits; without a status, tell who asked, once."""
        about = f"about {round(seconds)} s"
        status = f"Waiting {about}: Slack takes one message a second in a channel"
        if message.ts and await self._status.show(message, status):
            return
        if new:
            what = "answer" if message.ts else "question"
            await self._delivery.whisper(
                message,
                f"Much is being posted in this channel, where Slack takes one message a second."
                f" Your {what} comes in {about}.",
            )
