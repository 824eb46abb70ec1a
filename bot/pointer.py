"""The message that is there before its answer: what is being read, and a button to stop it.

It becomes the answer. It carries the turn's id, as an answer does, so that whatever happens to
this process the next attempt finds it; and it is claimed in the database, so that a worker that has
lost its turn takes its own pointer away again. A turn that is quick has none.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import aiohttp
import structlog
from psycopg import Error
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from slack_sdk.errors import SlackClientError

from bot import sessions
from bot.delivery import Delivery
from bot.inbox import Connection
from bot.pace import Pace
from bot.reasoner import Progress
from bot.refusals import RateLimited, Undeliverable
from bot.replies import Reply, render_interrupted, render_pointer
from bot.sessions import Post, Turn
from bot.status import Status
from retrieval.documents import Passage

__all__ = ["Pointer", "Pointers"]

_LOG = structlog.get_logger("footnote.pointer")
_LAST_SECONDS = 3.0  # for the last word of a process that ends
_FAILURES = (SlackClientError, aiohttp.ClientError, TimeoutError, RateLimited, Undeliverable)


class Pointers:
    """Makes the pointers of turns. `after_seconds` is how long a turn may take without one."""

    def __init__(
        self,
        pool: AsyncConnectionPool,
        delivery: Delivery,
        status: Status,
        pace: Pace,
        after_seconds: float,
    ) -> None:
        self.pool = pool
        self.delivery = delivery
        self.status = status
        self.pace = pace
        self.after_seconds = after_seconds

    def of(self, connection: Connection, post: Post, turn: Turn) -> "Pointer":
        """Return the pointer of a turn, not shown yet; `connection` holds the session's lock."""
        return Pointer(self, connection, post, turn)


class Pointer:
    """One turn's pointer.

    `ts` is the message that shows the pointer, or shows what the turn is to replace. `uncertain`:
    a message may be there that nobody knows the ts of.
    """

    def __init__(self, parts: Pointers, connection: Connection, post: Post, turn: Turn) -> None:
        self._parts = parts
        self._connection = connection
        self._post = post
        self._turn = turn
        self._news = asyncio.Event()
        self._over = asyncio.Event()
        self._what = ""
        self._found: Sequence[Passage] | None = None
        self.ts = turn.reply_ts
        self.uncertain = turn.reply_ts is None and bool(turn.attempt > 1 or turn.earlier)

    async def while_working[T](self, work: Callable[[Progress], Awaitable[T]]) -> T:
        """Return what the work gives; show the pointer meanwhile when it takes long.

        The work may be cancelled at any time, as this process ends: the message says so then, and
        the next attempt puts the answer there.
        """
        try:
            return await self._while_working(work)
        except asyncio.CancelledError:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_SECONDS):
                    await self._put(render_interrupted(self._turn.id))
            raise

    async def forget(self) -> None:
        """Take away what an attempt that died has said it does; an update in its place doesn't."""
        if self._turn.attempt > 1 and self._post.only_for is None:
            await self._parts.status.show(self._post, "")

    async def _while_working[T](self, work: Callable[[Progress], Awaitable[T]]) -> T:
        failure: Exception | None = None
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._run())
            try:
                return await work(self._progress)
            except Exception as error:  # noqa: BLE001  # raised below, not as a group
                failure = error
            finally:
                # A post that is on its way is waited for.
                self._over.set()
                self._news.set()
        raise failure

    async def _progress(self, what: str, found: Sequence[Passage] | None = None) -> None:
        self._what = what
        self._found = found if found is not None else self._found
        self._news.set()

    async def _run(self) -> None:
        try:
            async with asyncio.timeout(self._parts.after_seconds):
                await self._over.wait()
        except TimeoutError:
            try:
                await self._show()
            finally:
                await self._parts.status.show(self._post, "")

    async def _show(self) -> None:
        told, pointed = "", False
        while True:
            self._news.clear()
            if self._over.is_set():
                return
            if self._found is not None and not pointed:
                pointed = True
                await self._put(render_pointer(self._turn.id, self._found), in_line=True)
            if self._what != told and not self._over.is_set():
                told = self._what
                await self._parts.status.show(self._post, told)
            await self._news.wait()

    async def _put(self, reply: Reply, *, in_line: bool = False) -> None:
        """Show a reply in the turn's message; `in_line`: a new one only if nobody waits there."""
        delivery, post, turn = self._parts.delivery, self._post, self._turn
        try:
            if self.uncertain and (known := await delivery.find(post, turn)):
                self.ts = known.ts
            if not await sessions.still_mine(self._connection, turn):
                return
            asks = in_line and self.ts is None
            if asks and not await self._parts.pace.free(self._connection, post.channel):
                return  # the status will do; answers are due first
            self.uncertain = self.ts is None  # until Slack has told the ts
            try:
                self.ts = await delivery.point(post, turn, reply, self.ts)
            except RateLimited as pause:
                if pause.posts:
                    await self._parts.pace.hold(self._connection, post.channel, pause.seconds)
                raise
            self.uncertain = False
            await self._claim(self.ts)
        except (*_FAILURES, Error, PoolTimeout) as error:
            _LOG.warning("pointer_not_shown", turn=turn.id, error=type(error).__name__)

    async def _claim(self, ts: str) -> None:
        """Make the message the turn's, or take it away: the turn has another, or is over."""
        try:
            claimed = await sessions.claim_reply(self._connection, self._post, self._turn, ts)
        except Error:
            async with self._parts.pool.connection() as another:
                claimed = await sessions.claim_reply(another, self._post, self._turn, ts)
        if not claimed:
            self.ts = None
            await self._parts.delivery.withdraw(self._post, ts)
