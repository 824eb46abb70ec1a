"""The turns that run in this process, so that an edit, a deletion or a stop ends them at once.

What ends a turn stands in the inbox: a newer row of its post, or the mark of a stop. Whichever
process accepts it notifies the workers, which then look. A lost notification is made up for by
looking every few seconds, and a turn that begins looks first.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from psycopg import Error
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from bot import inbox
from bot.inbox import Connection, Message, Why

__all__ = ["Running", "Unwanted"]

_LOG = structlog.get_logger("footnote.running")
_LOOK_SECONDS = 5.0
_PAUSE_SECONDS = 1.0


class Unwanted(Exception):
    """Nobody wants this answer any more; `why` tells what has come in between."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why: Why = why


class Running:
    """Knows what runs, and ends it when it is no longer wanted."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self._pool = pool
        self._scopes: dict[int, asyncio.Timeout] = {}
        self._ended: dict[int, Why] = {}

    async def run[T](
        self, connection: Connection, message: Message, work: Callable[[], Awaitable[T]]
    ) -> T:
        """Return what the work on a message gives.

        Raises:
            Unwanted: the message was edited, taken back, stopped or put right; the work is
                cancelled.
        """
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._scopes[message.id] = scope
                # What came before this turn was known here has notified nobody.
                if why := (await inbox.unwanted(connection, [message.id])).get(message.id):
                    raise Unwanted(why)
                return await work()
        except TimeoutError:
            if why := self._ended.get(message.id):
                raise Unwanted(why) from None
            raise
        finally:
            self._scopes.pop(message.id, None)
            self._ended.pop(message.id, None)

    async def watch(self) -> None:
        """Until cancelled: look whenever told to, and every few seconds."""
        while True:
            try:
                async with self._pool.connection() as connection:
                    await self._listen(connection)
            except (Error, PoolTimeout) as error:
                _LOG.warning("running_lost_database", error=type(error).__name__)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _listen(self, connection: Connection) -> None:
        await inbox.listen(connection)
        try:
            while True:
                await self._look(connection)
                async for _ in connection.notifies(timeout=_LOOK_SECONDS, stop_after=1):
                    pass
        finally:
            await connection.close()  # a pool's next user shall not be told

    async def _look(self, connection: Connection) -> None:
        if not self._scopes:
            return
        for message, why in (await inbox.unwanted(connection, list(self._scopes))).items():
            scope = self._scopes.get(message)
            if scope is not None and message not in self._ended:
                _LOG.info("turn_ended_early", message=message, why=why)
                self._ended[message] = why
                scope.reschedule(asyncio.get_running_loop().time())
