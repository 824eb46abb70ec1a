"""Brings events, commands and clicks to the app: events until acknowledged, the rest once."""

import asyncio
from collections import deque
from collections.abc import Sequence

from bot.playground.changes import Changes
from bot.playground.deliveries import (
    COMMANDS,
    EVENTS,
    ConnectionLost,
    Delivery,
    EventRecord,
    NotAcknowledged,
    Transport,
)
from bot.playground.events import subscription
from bot.playground.traffic import Traffic
from bot.playground.wire import Json

REMEMBERED_EVENTS = 5_000


class Courier:
    """Sends through one transport. Each event runs in a task of the group given at start.

    An event that is not acknowledged is sent again after each of `retry_delays` (seconds); one
    whose connection ended is sent again as soon as there is a connection. With `deliver_twice`
    every event arrives two times under the same event_id. `subscriptions` are the events the app
    gets, by the names of its manifest; None for all.
    """

    def __init__(
        self,
        transport: Transport,
        retry_delays: Sequence[float],
        changes: Changes,
        traffic: Traffic,
    ) -> None:
        self.traffic: Traffic = traffic
        self.transport: Transport = transport
        self.retry_delays: tuple[float, ...] = tuple(retry_delays)
        self.deliver_twice: bool = False
        self.subscriptions: frozenset[str] | None = None
        self.events: deque[EventRecord] = deque(maxlen=REMEMBERED_EVENTS)
        self._changes: Changes = changes
        self._tasks: asyncio.TaskGroup | None = None
        self._running: set[asyncio.Task[None]] = set()

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Run deliveries in this group from now on."""
        self._tasks = tasks

    def stop(self) -> None:
        """Cancel what is still on its way."""
        self._tasks = None
        for task in self._running:
            task.cancel()

    def dispatch(self, payload: Json) -> None:
        """Send an event (an `event_callback` payload) in the background, if the app wants it."""
        if self.subscriptions is not None and subscription(payload) not in self.subscriptions:
            return
        record = EventRecord(payload["event_id"], payload["event"]["type"], payload)
        self.events.append(record)
        self._spawn(record)
        if self.deliver_twice:
            self._spawn(record, reason="duplicate")

    async def redeliver(self, event_id: str) -> None:
        """Send a past event once more and wait for its acknowledgement.

        Raises:
            NotAcknowledged: the app did not take it.
            KeyError: no such event.
        """
        record = next((each for each in self.events if each.event_id == event_id), None)
        if record is None:
            raise KeyError(event_id)
        await self._attempt(record, "redelivery")

    async def ask(self, delivery: Delivery) -> Json | None:
        """Send a command or a click, once, and return what came with the acknowledgement.

        Raises:
            NotAcknowledged: no connection, or no acknowledgement in time.
        """
        payload = delivery.payload
        kind = "command" if delivery.kind == COMMANDS else "interaction"
        with self.traffic.exchange(kind, _name(payload), payload) as exchange:
            exchange.answered = await self.transport.send(delivery, 0, "")
            return exchange.answered

    def _spawn(self, record: EventRecord, reason: str = "") -> None:
        if self._tasks is None:
            return
        task = self._tasks.create_task(self._deliver(record, reason))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _deliver(self, record: EventRecord, reason: str) -> None:
        delays = iter(self.retry_delays)
        await self._changes.keep()
        while True:
            try:
                await self._attempt(record, reason)
            except ConnectionLost as problem:
                reason = problem.reason
            except NotAcknowledged as problem:
                reason = problem.reason
                delay = next(delays, None)
                if delay is None:
                    return
                await asyncio.sleep(delay)
            else:
                return

    async def _attempt(self, record: EventRecord, reason: str) -> None:
        attempt = len(record.attempts)
        record.attempts.append(reason)
        self._changes.touch()
        note = f"again: {reason}" if reason else ""
        with self.traffic.exchange("event", _kind(record), record.payload, note):
            await self.transport.send(Delivery(EVENTS, record.payload), attempt, reason)
        record.acknowledged = True
        self._changes.touch()


def _kind(record: EventRecord) -> str:
    """The event's type, with its subtype."""
    subtype = record.payload["event"].get("subtype")
    return f"{record.type} · {subtype}" if subtype else record.type


def _name(payload: Json) -> str:
    """What a command or an interaction goes by: the command, else its type and id."""
    if "command" in payload:
        return str(payload["command"])
    actions: list[Json] = payload.get("actions") or [{}]
    view: Json = payload.get("view") or {}
    names = (actions[0].get("action_id"), payload.get("callback_id"), view.get("callback_id"))
    found = next((name for name in (*names, payload.get("action_id")) if name), "")
    return f"{payload.get('type')} · {found}" if found else str(payload.get("type"))
