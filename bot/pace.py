"""When a channel takes its next post: Slack allows about one a second in each.

The times are taken in the database, so that all workers keep the same pace. Whose time is near
waits for it; whose isn't leaves its place in the worker to others, and is woken shortly before. Who
comes late, or finds that Slack wants a pause, posts when nothing else is being posted.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.delivery import Delivery
from bot.inbox import Connection, Message
from bot.jobs import Queue
from bot.sessions import Turn
from bot.status import Status
from schema.sql import load

__all__ = ["InLine", "Pace", "Place"]

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

    @property
    def wake_seconds(self) -> float:
        """When to be there again."""
        return max(self.seconds - _EARLY_SECONDS, 0.1)

    def sentence(self, what: str) -> str:
        """Say to whoever waits why, and for how long: “Your answer comes”."""
        return (
            "Much is being posted in this channel, where Slack takes one message a second."
            f" {what} in about {round(self.seconds)} s."
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A post's place in a channel's line: its time, and in how many seconds that is.

    `new`: it was taken only now, and is kept by whoever took it. `length`: how long its posts take.
    """

    channel: str
    at: datetime
    seconds: float
    new: bool
    length: float


class Pace:
    """Keeps posts apart by `gap_seconds` in each channel."""

    def __init__(self, delivery: Delivery, status: Status, gap_seconds: float) -> None:
        self._delivery = delivery
        self._status = status
        self._gap = gap_seconds

    async def await_turn(self, connection: Connection, message: Message, posts: int = 1) -> None:
        """Return when a message's channel takes its reply, of so many posts, or its question.

        Raises:
            InLine: that is a while off. The time stays the message's.
        """
        cursor = await connection.execute(_SQL["time_of_message"], {"id": message.id})
        (kept,) = await cursor.fetchone() or (None,)
        place = await self.place(connection, message.channel, kept, posts)
        if place.new:
            await connection.execute(_SQL["keep_time"], {"id": message.id, "at": place.at})
        try:
            await self.come(connection, place)
        except InLine as line:
            await self._say(message, line, new=place.new)
            raise

    async def place(
        self, connection: Connection, channel: str, kept: datetime | None, posts: int = 1
    ) -> Place:
        """Return the place of some posts in a channel: what is `kept` of it, or a new one."""
        length = self._gap * posts
        values = {"channel": channel, "kept": kept, "length": length}
        values |= {"late": _LATE_SECONDS, "most": _MOST_SECONDS}
        cursor = await connection.execute(_SQL["take_time"], values)
        ((at, seconds, new),) = await cursor.fetchall()
        return Place(channel, at, seconds, new, length)

    async def come(self, connection: Connection, place: Place) -> None:
        """Return when the posts of a place may be made; then they have to be.

        Raises:
            InLine: that is a while off.
        """
        if place.seconds > _NEAR_SECONDS:
            raise InLine(place.seconds)
        await asyncio.sleep(max(place.seconds, 0))
        values: dict[str, object] = {"channel": place.channel, "length": place.length}
        values |= {"near": _NEAR_SECONDS, "most": _MOST_SECONDS}
        cursor = await connection.execute(_SQL["begin_post"], values)
        row = await cursor.fetchone()
        if row is None:
            cursor = await connection.execute(_SQL["busy_seconds"], {"channel": place.channel})
            (seconds,) = await cursor.fetchone() or (0.0,)
            raise InLine(max(seconds, _NEAR_SECONDS))
        await asyncio.sleep(max(row[0], 0))

    async def free(self, connection: Connection, channel: str) -> bool:
        """Tell whether a channel takes a post now; then it has to be made."""
        values = {"channel": channel, "gap": self._gap}
        cursor = await connection.execute(_SQL["free_now"], values)
        return await cursor.fetchone() is not None

    async def hold(self, connection: Connection, channel: str, seconds: float) -> None:
        """Slack wants a pause: nobody posts in the channel until it is over."""
        values = {"channel": channel, "seconds": min(seconds, _MOST_SECONDS)}
        await connection.execute(_SQL["hold_channel"], values)

    async def wait(
        self, connection: Connection, queue: Queue, message: Message, line: InLine
    ) -> None:
        """Let a message wait for its time, and wake its session shortly before."""
        seconds = min(line.wake_seconds, _STATUS_SECONDS)
        async with connection.transaction():
            values = {"id": message.id, "seconds": seconds}
            await connection.execute(_SQL["wait_in_line"], values)
            await queue.wake(connection, message.session, seconds)

    async def step_back(self, connection: Connection, turn: Turn) -> None:
        """Uncount an attempt at a turn that has let others go first, and has posted nothing."""
        values = {"turn": turn.id, "attempt": turn.attempt}
        await connection.execute(_SQL["step_back"], values)

    async def _say(self, message: Message, line: InLine, *, new: bool) -> None:
        """Show in a thread that its answer waits; without a status, tell who asked, once."""
        status = (
            f"Waiting about {round(line.seconds)} s: Slack takes one message a second in a channel"
        )
        if message.ts and await self._status.show(message, status):
            return
        if new:
            what = "Your answer comes" if message.ts else "Your question comes"
            await self._delivery.whisper(message, line.sentence(what))
