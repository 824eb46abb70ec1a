"""Where messages enter, change and leave: the log is written and the app is told."""

from dataclasses import replace

from bot.playground.clock import Clock
from bot.playground.courier import Courier
from bot.playground.events import changed, deleted, posted
from bot.playground.log import MessageLog
from bot.playground.messages import Message
from bot.playground.statuses import Statuses
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
        self.statuses: Statuses = Statuses(log.changes)

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
            if stored.bot_id is not None:
                self.statuses.set(stored.channel, stored.thread_ts, "")
        channel = self.workspace.channels[stored.channel]
        if channel.has(self.workspace.bot.id):
            for payload in posted(self.workspace, channel, stored, parent):
                self.courier.dispatch(payload)
        return stored

    def change(self, old: Message, new: Message) -> Message:
        """Store the new state of a message and send `message_changed`."""
        stored = self.log.put(new)
        channel = self.workspace.channels[stored.channel]
        if stored.ephemeral_to is None and channel.has(self.workspace.bot.id):
            ts = self.clock.next_ts()
            self.courier.dispatch(changed(self.workspace, channel, (old, stored), ts))
        return stored

    def remove(self, message: Message) -> None:
        """Take a message away and send `message_deleted`; a root with replies stays as a stone."""
        if self.log.replies(message.channel, message.ts):
            stone = replace(
                message, text="This message was deleted.", subtype="tombstone", blocks=[]
            )
            self.log.put(replace(stone, attachments=[], metadata=None, reactions={}))
        else:
            self.log.remove(message)
        channel = self.workspace.channels[message.channel]
        if message.ephemeral_to is None and channel.has(self.workspace.bot.id):
            ts = self.clock.next_ts()
            self.courier.dispatch(deleted(self.workspace, channel, message, ts))
