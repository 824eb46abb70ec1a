"""Message timestamps: unique and increasing, as Slack gives them."""

import time

MICROSECONDS = 1_000_000


class Clock:
    """Hands out `ts` strings, `seconds.microseconds` with six digits, never the same twice."""

    def __init__(self) -> None:
        self._last: int = 0

    def next_ts(self) -> str:
        """A ts later than every earlier one and not before the present."""
        self._last = max(self._last + 1, int(time.time() * MICROSECONDS))
        return f"{self._last // MICROSECONDS}.{self._last % MICROSECONDS:06d}"

    def not_before(self, ts: str) -> None:
        """Make sure that later timestamps come after `ts` (a message read from a file)."""
        seconds, _, micros = ts.partition(".")
        self._last = max(self._last, int(seconds) * MICROSECONDS + int(micros or 0))
