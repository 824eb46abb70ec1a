"""A message of a conversation, and what it looks like on the wire."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from bot.playground.wire import Json

PING = re.compile(r"<(?:@[UW][A-Z0-9]+|!(?:channel|here|everyone)|!subteam\^[A-Z0-9]+)[^>]*>")
"""Markup that notifies somebody when it stands in a message's text or mrkdwn."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `text` is in Slack's escaped form; `ts` orders the channel and names the message.

    `ephemeral_to` is the only reader of an ephemeral message. `revision` is the log's counter at
    the last change. `reactions` maps an emoji name to the ids of those who reacted. What comes by
    a webhook has the subtype `bot_message` and, for its readers, no user.
    """

    ts: str
    channel: str
    user: str
    text: str
    thread_ts: str | None = None
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    files: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    bot_id: str | None = None
    app_id: str | None = None
    subtype: str | None = None
    client_msg_id: str | None = None
    edited: Json | None = None
    ephemeral_to: str | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    unfurl_links: bool = True
    unfurl_media: bool = True
    revision: int = 0

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread below another message."""
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def root_ts(self) -> str:
        """The ts of the thread it belongs to, or would start."""
        return self.thread_ts or self.ts

    def visible_text(self) -> str:
        """What a reader sees: the strings of the blocks, or the text when there are none."""
        if not self.blocks:
            return self.text
        return "\n".join(text for block in self.blocks for _, text in _texts(block))

    def pings(self) -> list[str]:
        """Markup in the text and in mrkdwn that would notify somebody; plain text cannot."""
        found = PING.findall(self.text)
        for block in self.blocks:
            for kind, text in _texts(block):
                if kind in {"mrkdwn", "markdown"}:
                    found += PING.findall(text)
        return found

    def to_wire(self, team_id: str, *, with_metadata: bool = False) -> Json:
        """The message object of `conversations.history`, of events and of `chat.postMessage`."""
        optional: Json = {
            "type": "message",
            "user": None if self.subtype == "bot_message" else self.user,
            "text": self.text,
            "ts": self.ts,
            "team": team_id,
            "client_msg_id": self.client_msg_id,
            "thread_ts": self.thread_ts,
            "subtype": self.subtype,
            "bot_id": self.bot_id,
            "app_id": self.app_id,
            "blocks": self.blocks or None,
            "attachments": self.attachments or None,
            "files": self.files or None,
            "edited": self.edited,
            "metadata": self.metadata if with_metadata else None,
        }
        wire = {key: value for key, value in optional.items() if value is not None}
        if self.reactions:
            wire["reactions"] = [
                {"name": name, "users": users, "count": len(users)}
                for name, users in self.reactions.items()
            ]
        return wire


def _texts(node: Any, kind: str = "") -> Iterator[tuple[str, str]]:
    """Each `text` string below a block, with the type of the object that holds it."""
    if isinstance(node, list):
        for item in cast("list[Any]", node):
            yield from _texts(item, kind)
    elif isinstance(node, dict):
        members = cast("Json", node)
        own = members.get("type", kind)
        for key, value in members.items():
            if key == "text" and isinstance(value, str):
                yield own, value
            elif isinstance(value, dict | list):
                yield from _texts(value, own)
