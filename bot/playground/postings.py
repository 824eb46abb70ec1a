"""Where messages enter, change and leave: the log is written and the app is told."""

from dataclasses import replace

from bot.playground.channels import Channel
from bot.playground.clock import Clock
from bot.playground.courier import Courier
from bot.playground.events import changed, deleted, membership, posted, reacted, shared
from bot.playground.log import MessageLog
from bot.playground.messages import Message
from bot.playground.statuses import Statuses
from bot.playground.wire import Json
from bot.playground.workspace import Workspace


class Postings:
    """The one way to write messages. The app hears of channels its bot is a member of."""

    def __init__(
        self, workspace: Workspace, log: MessageLog, clock: Clock, courier: Courier
    ) -> None:
        self.workspace: Workspace = workspace
        self.log: MessageLog = log
        self.clock: Clock = clock
        self.courier: Courier = courier
        self.statuses: Statuses = Statuses(log.changes, clock)

    def publish(self, message: Message) -> Message:
        """Store a new message and send its events; a reply ends the thread's status."""
        stored = self.log.put(message)
        if stored.ephemeral_to is not None:
            return stored
        parent = None
        if stored.is_reply and stored.thread_ts is not None:
            parent = self.log.get(stored.channel, stored.thread_ts)
            if parent is not None and parent.thread_ts is None:
                self.log.put(replace(parent, thread_ts=parent.ts))
            if stored.user == self.workspace.bot.id:
                self.statuses.set(stored.channel, stored.thread_ts, "")
        for payload in posted(self.workspace, self._channel(stored), stored, parent):
            self._tell(stored, payload)
        for file in stored.files:
            ts = self.clock.next_ts()
            self._tell(stored, shared(self.workspace, stored, str(file["id"]), ts))
        return stored

    def change(self, old: Message, new: Message) -> Message:
        """Store the new state of a message and send `message_changed`."""
        stored = self.log.put(new)
        ts = self.clock.next_ts()
        self._tell(stored, changed(self.workspace, self._channel(stored), (old, stored), ts))
        return stored

    def remove(self, message: Message) -> None:
        """Take a message away and send `message_deleted`.

        A root with replies is replaced by a stone, and Slack says `message_changed` of it.
        """
        if self.log.replies(message.channel, message.ts):
            stone = replace(
                message,
                text="This message was deleted.",
                subtype="tombstone",
                blocks=[],
                attachments=[],
                files=[],
                metadata=None,
                reactions={},
            )
            self.change(message, stone)
            return
        self.log.remove(message)
        channel, ts = self._channel(message), self.clock.next_ts()
        self._tell(message, deleted(self.workspace, channel, message, ts))

    def react(self, message: Message, user: str, name: str) -> bool:
        """Put somebody's emoji below a message; False when it is there already."""
        users = message.reactions.get(name, [])
        if user in users:
            return False
        self.log.put(replace(message, reactions={**message.reactions, name: [*users, user]}))
        reaction = ("reaction_added", user, name)
        self._tell(message, reacted(self.workspace, message, reaction, self.clock.next_ts()))
        return True

    def unreact(self, message: Message, user: str, name: str) -> bool:
        """Take somebody's emoji back; False when it isn't there."""
        users = message.reactions.get(name, [])
        if user not in users:
            return False
        left = {**message.reactions, name: [each for each in users if each != user]}
        kept = {emoji: people for emoji, people in left.items() if people}
        self.log.put(replace(message, reactions=kept))
        reaction = ("reaction_removed", user, name)
        self._tell(message, reacted(self.workspace, message, reaction, self.clock.next_ts()))
        return True

    def join(self, channel: Channel, user: str) -> Channel:
        """Make somebody a member, and tell the app if its bot is one by now."""
        if channel.has(user):
            return channel
        joined = self.workspace.join(channel, user)
        self._tell_of_member(joined, joined, ("member_joined_channel", user))
        return joined

    def leave(self, channel: Channel, user: str) -> Channel:
        """Take somebody out of a channel, and tell the app if its bot was a member until now."""
        left = self.workspace.leave(channel, user)
        kind = "member_left_channel"
        if user == self.workspace.bot.id:
            kind = "group_left" if channel.is_private else "channel_left"
        self._tell_of_member(channel, left, (kind, user))
        return left

    def archive(self, channel: Channel) -> Channel:
        """Archive a channel: it can be read, and takes nothing new."""
        archived = self.workspace.put_channel(replace(channel, is_archived=True))
        kind = "group_archive" if channel.is_private else "channel_archive"
        self._tell_of_member(archived, archived, (kind, self.workspace.bot.id))
        return archived

    def _channel(self, message: Message) -> Channel:
        return self.workspace.channels[message.channel]

    def _tell(self, message: Message, payload: Json) -> None:
        if message.ephemeral_to is None and self._channel(message).has(self.workspace.bot.id):
            self.courier.dispatch(payload)

    def _tell_of_member(self, seen: Channel, channel: Channel, change: tuple[str, str]) -> None:
        if seen.has(self.workspace.bot.id):
            ts = self.clock.next_ts()
            self.courier.dispatch(membership(self.workspace, channel, change, ts))
