"""What the stand-in sends to the app, and how a transport says that it did not arrive."""

from dataclasses import dataclass, field
from typing import Protocol

from bot.playground.wire import Json

EVENTS = "events_api"
COMMANDS = "slash_commands"
INTERACTIONS = "interactive"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One payload for the app. `kind` is the Socket Mode envelope type."""

    kind: str
    payload: Json


@dataclass(slots=True)
class EventRecord:
    """What became of one event: `attempts` sent, with their reasons, and whether one was acked."""

    event_id: str
    type: str
    payload: Json
    attempts: list[str] = field(default_factory=list)
    acknowledged: bool = False


class NotAcknowledged(Exception):
    """The app did not acknowledge; `reason` is what Slack puts into x-slack-retry-reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason: str = reason


class ConnectionLost(NotAcknowledged):
    """The connection ended before the acknowledgement: sent again when there is another one."""


class Transport(Protocol):
    """Socket Mode or HTTP."""

    async def send(self, delivery: Delivery, attempt: int, reason: str) -> Json | None:
        """Deliver once and return the app's answer.

        Raises:
            NotAcknowledged: no answer in time, or a negative one.
        """
        ...
