"""The line "… is thinking" of a thread, set by the app."""

from bot.playground.changes import Changes
from bot.playground.clock import Clock

LIFETIME_SECONDS = 120.0


class Statuses:
    """Status by (channel, root ts): gone after two minutes; an empty text clears it."""

    def __init__(self, changes: Changes, clock: Clock) -> None:
        self._changes: Changes = changes
        self._clock: Clock = clock
        self._texts: dict[tuple[str, str], tuple[str, float]] = {}

    def set(self, channel: str, root_ts: str, text: str) -> None:
        """Show the text in the thread, or clear it."""
        before = self.get(channel, root_ts)
        self._texts.pop((channel, root_ts), None)
        if text:
            self._texts[channel, root_ts] = (text, self._clock.now() + LIFETIME_SECONDS)
        if before != text:
            self._changes.touch()

    def get(self, channel: str, root_ts: str) -> str:
        """The thread's status, empty when there is none."""
        text, end = self._texts.get((channel, root_ts), ("", 0.0))
        return text if self._clock.now() < end else ""

    def everything(self) -> list[tuple[str, str, str]]:
        """(channel, root ts, text) of each status shown."""
        return [(*where, text) for where in self._texts if (text := self.get(*where))]
