"""What Slack refuses: for a while, for good, or in this form only."""

from collections.abc import Mapping
from typing import Final

from slack_sdk.errors import SlackApiError

__all__ = ["FORM", "RateLimited", "Undeliverable", "name", "pause", "translated"]

# Refusals that no later attempt will change: the place is gone, or closed to the bot.
_FINAL: Final = frozenset(
    {
        "cannot_reply_to_message",
        "cant_update_message",
        "channel_not_found",
        "edit_window_closed",
        "is_archived",
        "message_not_found",
        "messages_tab_disabled",
        "not_in_channel",
        "restricted_action",
        "restricted_action_non_threadable_channel",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "thread_not_found",
        "user_not_in_channel",
    }
)
FORM: Final = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "invalid_metadata_format",
        "metadata_too_large",
        "msg_blocks_too_long",
        "msg_too_long",
    }
)
"""What Slack says of a message that it doesn't like, but would take as plain text."""


class RateLimited(Exception):
    """Slack wants a pause; `seconds` is its length.

    `posts`: a post was refused, so that its channel takes none meanwhile.
    """

    def __init__(self, seconds: float, *, posts: bool = False) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.posts = posts


class Undeliverable(Exception):
    """Slack will never take this message: the bot left the channel, the thread is gone."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


def translated(error: SlackApiError, *, posts: bool = False) -> Exception:
    """Return what an error of Slack's means, or itself; `posts`: it refuses a post."""
    named = name(error)
    if named in {"ratelimited", "rate_limited"}:
        headers: Mapping[str, str] = getattr(error.response, "headers", None) or {}
        return RateLimited(pause(headers), posts=posts)
    return Undeliverable(named) if named in _FINAL | FORM else error


def pause(headers: Mapping[str, str]) -> float:
    """Return the pause in seconds that an answer of Slack's wants, by its headers."""
    value = str({each.lower(): told for each, told in headers.items()}.get("retry-after", ""))
    return float(value) if value.isascii() and value.isdigit() else 1.0


def name(error: SlackApiError) -> str:
    """Return Slack's name of an error; a server's error page has none."""
    data = getattr(error.response, "data", None)
    return str(data.get("error")) if isinstance(data, dict) else ""
