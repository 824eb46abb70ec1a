"""The line "… is thinking" of a thread, set by the app."""

from bot.playground.changes import Changes


class Statuses:
    """Status by (channel, root ts); an empty text clears it."""

    def __init__(self, changes: Changes) -> None:
        self._changes: Changes = changes
        self._texts: dict[tuple[str, str], str] = {}

    def set(self, channel: str, root_ts: str, text: str) -> None:
        """Show the text in the thread, or clear it."""
        before = self._texts.pop((channel, root_ts), "")
        if text:
            self._texts[channel, root_ts] = text
        if before != text:
            self._changes.touch()

    def get(self, channel: str, root_ts: str) -> str:
        """The thread's status, empty when there is none."""
        return self._texts.get((channel, root_ts), "")

    def everything(self) -> list[tuple[str, str, str]]:
        """(channel, root ts, text) of each status shown."""
        return [(channel, ts, text) for (channel, ts), text in self._texts.items()]
