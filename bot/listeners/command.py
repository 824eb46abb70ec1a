"""A slash command with verbs, as its verbs get it, and what they say."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from slack_bolt.context.respond.async_respond import AsyncRespond

from bot.listeners.forms import Block

__all__ = ["Command", "Said"]


@dataclass(frozen=True, slots=True)
class Command:
    """Who uses a verb, where, with which words behind it. The trigger opens one modal, at once."""

    team: str
    channel: str
    user: str
    trigger: str
    verb: str
    words: str

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Command":
        """Read what Slack sends; without a verb, `help` is meant."""
        verb, _, words = str(payload.get("text") or "").strip().partition(" ")
        return cls(
            team=str(payload["team_id"]),
            channel=str(payload["channel_id"]),
            user=str(payload["user_id"]),
            trigger=str(payload["trigger_id"]),
            verb=verb.lower() or "help",
            words=words.strip(),
        )


@dataclass(frozen=True, slots=True)
class Said:
    """What only whoever used the command sees, mrkdwn and safe; `then` is done after that.

    `then` must not raise, and has a way to say more: the command has its acknowledgement by now.
    """

    text: str
    blocks: list[Block] = field(default_factory=list[Block])
    then: Callable[[AsyncRespond], Awaitable[None]] | None = None
