"""Messages to others about a turn: the on-call, or a service's owners. Each is posted once.

A notice is a row, committed with what it is about; a background task posts it when its channel
takes it. What that task has missed is looked for every minute, and what fails rests for as long as
it has waited. Owners hear nothing of a private conversation.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import structlog
from psycopg.rows import class_row
from psycopg_pool import PoolTimeout

from bot.delivery import Delivery
from bot.inbox import Connection
from bot.jobs import DATABASE_ERRORS, Pool, Queue
from bot.pace import InLine, Pace
from bot.places import Places
from bot.refusals import RateLimited, Undeliverable
from bot.replies.notices import render_notice
from schema.sql import load

__all__ = ["TASK", "Kind", "Notice", "Notices", "add"]

_SQL = load("bot", "answers.sql")
_LOG = structlog.get_logger("footnote.notices")
_EVERY_SECONDS = 60.0

TASK = "tell"

type Kind = Literal["oncall", "no_match", "unhelpful"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to be told. `target` is a channel, or whom to call in the question's own thread.

    `posts_at` is its time in the line of the channel that it goes to.
    """

    id: str
    kind: Kind
    turn: str
    target: str
    person: str | None
    at: float
    session: str
    channel: str
    ts: str
    root_ts: str
    question: str
    posts_at: datetime | None

    @property
    def elsewhere(self) -> bool:
        """Whether it goes to another channel than the one that was asked in."""
        return self.target.startswith(("C", "G"))

    @property
    def where(self) -> tuple[str, str | None]:
        """The channel and thread that it goes to."""
        return (self.target, None) if self.elsewhere else (self.channel, self.root_ts)


async def add(  # noqa: PLR0913, PLR0917  # a row's columns
    connection: Connection,
    queue: Queue,
    kind: Kind,
    turn: str,
    target: str,
    person: str | None = None,
) -> bool:
    """Have something told once, in the caller's transaction; False when it was added before."""
    values = {
        "id": f"{kind}:{turn}",
        "kind": kind,
        "turn": turn,
        "target": target,
        "person": person,
    }
    cursor = await connection.execute(_SQL["add_notice"], values)
    if await cursor.fetchone() is None:
        return False
    await queue.later(connection, TASK, notice=f"{kind}:{turn}")
    return True


class Notices:
    """Posts notices."""

    def __init__(
        self, pool: Pool, queue: Queue, delivery: Delivery, places: Places, pace: Pace
    ) -> None:
        self._pool = pool
        self._queue = queue
        self._delivery = delivery
        self._places = places
        self._pace = pace

    async def tell(self, notice: str) -> None:
        """Post a notice, unless it is posted, or somebody is at it; or have it posted in its time.

        Raises:
            SlackClientError, OSError: Slack fails; it is to be tried again.
        """
        async with self._pool.connection() as connection, connection.transaction():
            async with connection.cursor(row_factory=class_row(Notice)) as cursor:
                await cursor.execute(_SQL["take_notice"], {"id": notice})
                found = await cursor.fetchone()
            if found is None:
                return
            try:
                state = await self._post(connection, found)
            except (InLine, RateLimited) as line:
                _LOG.info("notice_in_line", notice=notice, seconds=round(line.seconds, 1))
                seconds = line.wake_seconds if isinstance(line, InLine) else line.seconds
                await connection.execute(_SQL["rest_notice"], {"id": notice, "seconds": seconds})
                await self._queue.later(connection, TASK, seconds, notice=notice)
                return
            await connection.execute(_SQL["end_notice"], {"id": notice, "state": state})
        _LOG.info("notice_ended", notice=notice, state=state)

    async def _post(self, connection: Connection, notice: Notice) -> Literal["posted", "dropped"]:
        owners = notice.kind != "oncall"
        if owners and not await self._places.public(notice.channel):
            return "dropped"
        cursor = await connection.execute(_SQL["said_of_turn"], {"turn": notice.turn})
        said = [
            (reason, correction)
            for _, _, reason, correction in await cursor.fetchall()
            if owners and (reason or correction)
        ]
        try:
            link = None
            if notice.elsewhere:
                link = await self._delivery.permalink(notice.channel, notice.ts)
            reply = render_notice(
                notice.kind,
                notice.target,
                notice.person,
                notice.channel,
                notice.question,
                link,
                said,
            )
            await self._come(connection, notice)
            await self._delivery.notice(*notice.where, reply, notice.id, notice.at)
        except RateLimited as pause:
            if pause.posts:
                async with self._pool.connection() as apart:
                    await self._pace.hold(apart, notice.where[0], pause.seconds)
            raise
        except Undeliverable as error:
            _LOG.warning("notice_undeliverable", notice=notice.id, error=error.error)
            return "dropped"
        return "posted"

    async def _come(self, connection: Connection, notice: Notice) -> None:
        """Wait for a notice's time, which is kept, unless that is far off.

        The line's own row is changed on a connection apart: in this transaction it would keep all
        others from posting in the channel until Slack has answered.
        """
        async with self._pool.connection() as apart:
            place = await self._pace.place(apart, notice.where[0], notice.posts_at)
            if place.new:
                values = {"id": notice.id, "posts_at": place.at}
                await connection.execute(_SQL["line_notice_up"], values)
            await self._pace.come(apart, place)

    async def watch(self) -> None:
        """Until cancelled: post what its task has failed to."""
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Post what waits though nobody is at it; one that fails holds up no other."""
        try:
            async with self._pool.connection() as connection:
                cursor = await connection.execute(_SQL["notices_left"])
                left = [str(row[0]) for row in await cursor.fetchall()]
        except (*DATABASE_ERRORS, PoolTimeout) as error:
            _LOG.warning("notices_not_read", error=type(error).__name__)
            return
        for each in left:
            try:
                await self.tell(each)
            except Exception as error:  # noqa: BLE001  # Slack fails in many ways; this goes on
                _LOG.warning("notice_waits", notice=each, error=type(error).__name__)
