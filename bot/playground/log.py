"""All messages of the workspace, by channel and thread."""

from dataclasses import replace

from bot.playground.changes import Changes
from bot.playground.messages import Message


class MessageLog:
    """The messages. A change counts one revision up, so that a reader can ask for news only."""

    def __init__(self, changes: Changes) -> None:
        self.changes: Changes = changes
        self._messages: dict[tuple[str, str], Message] = {}
        self._removed: list[tuple[int, str, str]] = []

    def put(self, message: Message) -> Message:
        """Store a new message, or the new state of one; returns it with its revision."""
        stored = replace(message, revision=self.changes.touch())
        self._messages[message.channel, message.ts] = stored
        return stored

    def remove(self, message: Message) -> None:
        """Forget a message; readers of `removed_since` hear of it."""
        if self._messages.pop((message.channel, message.ts), None) is not None:
            self._removed.append((self.changes.touch(), message.channel, message.ts))

    def get(self, channel: str, ts: str) -> Message | None:
        """The message of this channel with this ts."""
        return self._messages.get((channel, ts))

    def everything(self) -> list[Message]:
        """All messages, oldest first, ephemeral ones too."""
        return sorted(self._messages.values(), key=lambda message: message.ts)

    def history(self, channel: str) -> list[Message]:
        """The channel's own messages, oldest first: no replies (unless broadcast) or ephemerals."""
        return [
            message
            for message in self.everything()
            if message.channel == channel
            and message.ephemeral_to is None
            and (not message.is_reply or message.subtype == "thread_broadcast")
        ]

    def replies(self, channel: str, root_ts: str) -> list[Message]:
        """What stands below a root, oldest first, without the root and without ephemerals."""
        return [
            message
            for message in self.everything()
            if message.channel == channel
            and message.is_reply
            and message.thread_ts == root_ts
            and message.ephemeral_to is None
        ]

    def ephemeral(self, channel: str, user: str) -> list[Message]:
        """The ephemeral messages one user sees in a channel, oldest first."""
        return [
            message
            for message in self.everything()
            if message.channel == channel and message.ephemeral_to == user
        ]

    def changed_since(self, revision: int) -> list[Message]:
        """Messages stored or changed after a revision, oldest first."""
        return [message for message in self.everything() if message.revision > revision]

    def removed_since(self, revision: int) -> list[tuple[str, str]]:
        """(channel, ts) of messages removed after a revision."""
        return [(channel, ts) for at, channel, ts in self._removed if at > revision]
