"""What went between the stand-in and the app, each with the time it took."""

import json
import time
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bot.playground.changes import Changes
from bot.playground.deliveries import NotAcknowledged
from bot.playground.wire import Json

KEPT = 500
LONGEST = 40_000
SECRET = frozenset({"token"})


@dataclass(slots=True)
class Exchange:
    """One request and its answer.

    `kind` is `event`, `command` or `interaction` for what was sent to the app, `call` for a Web
    API call of the app, `response` for an answer to a response URL. `outcome` is `ok` or the name
    of what went wrong; `number` counts them all, from 1.
    """

    kind: str
    name: str
    note: str = ""
    sent: Any = None
    answered: Any = None
    outcome: str = "ok"
    number: int = 0
    at: float = 0.0
    milliseconds: float = 0.0

    def line(self) -> Json:
        """It without what was sent and answered."""
        return {
            "number": self.number,
            "at": self.at,
            "kind": self.kind,
            "name": self.name,
            "note": self.note,
            "outcome": self.outcome,
            "milliseconds": round(self.milliseconds, 1),
        }

    def whole(self) -> Json:
        """It with both, as text, without tokens."""
        return self.line() | {"sent": _text(self.sent), "answered": _text(self.answered)}


class Traffic:
    """The newest exchanges. Its own counter moves with each, so that a reader can wait for one."""

    def __init__(self) -> None:
        self.changes: Changes = Changes()
        self._kept: deque[Exchange] = deque(maxlen=KEPT)

    @contextmanager
    def exchange(
        self, kind: str, name: str, sent: Any = None, note: str = ""
    ) -> Generator[Exchange]:
        """Take the time of the block, and keep what it writes into the exchange."""
        one = Exchange(kind, name, note, sent, at=time.time())
        began = time.perf_counter()
        try:
            yield one
        except NotAcknowledged as problem:
            one.outcome = problem.reason
            raise
        finally:
            one.milliseconds = (time.perf_counter() - began) * 1000
            one.number = self.changes.touch()
            self._kept.append(one)

    def since(self, number: int) -> list[Json]:
        """The lines of what came after one, oldest first."""
        return [each.line() for each in self._kept if each.number > number]

    def get(self, number: int) -> Exchange | None:
        """The exchange of this number, if it is still kept."""
        return next((each for each in self._kept if each.number == number), None)


def _text(content: Any) -> str:
    if content is None:
        return ""
    shown: Any = content
    if isinstance(content, Mapping):
        shown = {key: value for key, value in content.items() if key not in SECRET}
    text = json.dumps(shown, indent=2, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… {len(text)} characters"
