"""Messages to others about a turn: the on-call, or a service's owners. Each is posted once.

A notice is a row, committed with what it is about; a background task posts it, and whatever that
task has missed is looked for every minute. Owners hear nothing of a private conversation.
"""

import asyncio
from dataclasses import dataclass
from typing import Literal

import structlog
from psycopg import Error
from psycopg.rows import class_row
from psycopg_pool import PoolTimeout

from bot.delivery import Delivery, RateLimited, Undeliverable
from bot.inbox import Connection
from bot.jobs import DATABASE_ERRORS, Pool, Queue
from bot.pace import Pace
from bot.places import Places
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
    """Something to be told. `target` is a channel, or whom to call in the question's own thread."""

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

    @property
    def elsewhere(self) -> bool:
        """Whether it goes to another channel than the one that was asked in."""
        return self.target.startswith(("C", "G"))


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

    def __init__(self, pool: Pool, delivery: Delivery, places: Places, pace: Pace) -> None:
        self._pool = pool
        self._delivery = delivery
        self._places = places
        self._pace = pace

    async def tell(self, notice: str) -> None:
        """Post a notice, unless it is posted, or somebody is at it.

        Raises:
            RateLimited, SlackClientError, OSError: Slack fails; it is to be tried again.
        """
        async with self._pool.connection() as connection, connection.transaction():
            async with connection.cursor(row_factory=class_row(Notice)) as cursor:
                await cursor.execute(_SQL["take_notice"], {"id": notice})
                found = await cursor.fetchone()
            if found is None:
                return
            state = await self._post(connection, found)
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
            where = (notice.target, None) if notice.elsewhere else (notice.channel, notice.root_ts)
            await self._pace.await_any(where[0])
            await self._delivery.notice(*where, reply, notice.id, notice.at)
        except Undeliverable as error:
            _LOG.warning("notice_undeliverable", notice=notice.id, error=error.error)
            return "dropped"
        return "posted"

    async def watch(self) -> None:
        """Until cancelled: post what its task has failed to."""
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            try:
                async with self._pool.connection() as connection:
                    cursor = await connection.execute(_SQL["notices_waiting"])
                    waiting = [str(row[0]) for row in await cursor.fetchall()]
                for each in waiting:
                    await self.tell(each)
            except (*DATABASE_ERRORS, Error, PoolTimeout, RateLimited) as error:
                _LOG.warning("notices_wait", error=type(error).__name__)
            except Exception:  # noqa: BLE001  # Slack fails in many ways; this goes on
                _LOG.warning("notices_wait", exc_info=True)
