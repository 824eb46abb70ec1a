"""Slack's posting limit: about one message a second per channel, with short bursts."""

from math import ceil

from bot.playground.clock import Clock

BURST = 3
PER_SECOND = 1.0


class Rates:
    """A token bucket for each channel; off unless `enabled`."""

    def __init__(self, clock: Clock, *, enabled: bool) -> None:
        self._clock: Clock = clock
        self.enabled: bool = enabled
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, channel: str) -> int:
        """Count one message: 0 when it may pass, else whole seconds to wait."""
        if not self.enabled:
            return 0
        now = self._clock.now()
        level, then = self._buckets.get(channel, (float(BURST), now))
        level = min(float(BURST), level + (now - then) * PER_SECOND)
        if level < 1:
            self._buckets[channel] = (level, now)
            return ceil((1 - level) / PER_SECOND)
        self._buckets[channel] = (level - 1, now)
        return 0
