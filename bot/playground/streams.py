"""Messages that are being streamed: only they can be appended to, and only for five minutes."""

from bot.playground.clock import Clock

LIFETIME_SECONDS = 300.0


class Streams:
    """The streams that were started and not yet stopped, by (channel, ts)."""

    def __init__(self, clock: Clock) -> None:
        self._clock: Clock = clock
        self._ends: dict[tuple[str, str], float] = {}

    def start(self, channel: str, ts: str) -> None:
        """Begin one."""
        self._ends[channel, ts] = self._clock.now() + LIFETIME_SECONDS

    def is_live(self, channel: str, ts: str) -> bool:
        """Whether this message can be appended to."""
        return self._clock.now() < self._ends.get((channel, ts), 0.0)

    def stop(self, channel: str, ts: str) -> None:
        """End one."""
        self._ends.pop((channel, ts), None)
