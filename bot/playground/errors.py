"""What can go wrong in the stand-in: for the person driving it, and over the Web API."""

from bot.playground.wire import Json


class PlaygroundError(Exception):
    """The stand-in was asked for something it cannot do; the text says what and why."""


class ApiError(Exception):
    """A Web API call ends in `{"ok": false, "error": code}`.

    `code` is one of Slack's error names; `details` are further fields of the answer.
    """

    def __init__(self, code: str, details: Json | None = None) -> None:
        super().__init__(code)
        self.code: str = code
        self.details: Json = details or {}
