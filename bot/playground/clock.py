"""The time of the workspace, which a test can move on, and the timestamps of messages."""

import time

MICROSECONDS = 1_000_000


class Clock:
    """The one source of time for whatever expires here.

    `ts` strings are `seconds.microseconds` with six digits, never the same twice.
    """

    def __init__(self) -> None:
        self._last: int = 0
        self._ahead: float = 0.0

    def now(self) -> float:
        """Seconds since 1970, and what `advance` added."""
        return time.time() + self._ahead

    def advance(self, seconds: float) -> None:
        """Let time pass: what lives shorter than this expires."""
        self._ahead += seconds

    def next_ts(self) -> str:
        """A ts later than every earlier one and not before the present."""
        self._last = max(self._last + 1, int(self.now() * MICROSECONDS))
        return f"{self._last // MICROSECONDS}.{self._last % MICROSECONDS:06d}"

    def not_before(self, ts: str) -> None:
        """Make sure that later timestamps come after `ts` (a message read from a file)."""
        seconds, _, micros = ts.partition(".")
        self._last = max(self._last, int(seconds) * MICROSECONDS + int(micros or 0))
