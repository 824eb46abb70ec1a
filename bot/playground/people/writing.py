"""What people write: messages, changes, reactions; and what other apps' bots post."""

import secrets
from collections.abc import Sequence
from dataclasses import replace

from bot.playground.composer import encode, rich_text
from bot.playground.errors import PlaygroundError
from bot.playground.files import File, Files
from bot.playground.messages import Message
from bot.playground.people.places import Places
from bot.playground.postings import Postings
from bot.playground.wire import Json


class Writing:
    """Messages of people and of integrations. Users and channels are given by id or name."""

    def __init__(self, postings: Postings, places: Places, files: Files) -> None:
        self._files: Files = files
        self._postings: Postings = postings
        self._workspace = postings.workspace
        self._places: Places = places

    def post(
        self,
        who: str,
        where: str,
        typed: str,
        thread_ts: str | None = None,
        *,
        broadcast: bool = False,
    ) -> Message:
        """Write a message, in a thread when `thread_ts` names its root (or a reply in it).

        A reply may be shown in the channel too: a `broadcast`.
        """
        message = self._compose(who, where, typed, thread_ts)
        if not message.text.strip():
            raise PlaygroundError("An empty message cannot be sent.")
        if broadcast and message.is_reply:
            message = replace(message, subtype="thread_broadcast")
        return self._postings.publish(message)

    def share(
        self,
        where: str,
        file: File,
        typed: str = "",
        thread_ts: str | None = None,
        *,
        clip: bool = False,
    ) -> Message:
        """Post one's own file, with or without words, or as an audio clip recorded just now."""
        message = self._compose(file.user, where, typed, thread_ts)
        shared = self._files.share(replace(file, clip=clip), message.channel)
        files = self._files.wires([shared])
        return self._postings.publish(replace(message, files=files, subtype="file_share"))

    def upload(self, who: str, name: str, content: bytes) -> File:
        """Upload a file, to be shared or put into a form."""
        return self._files.add(name, content, self._places.user(who).id)

    def uploaded(self, who: str, file_id: str) -> File:
        """A file that this person uploaded before."""
        file = self._files.get(file_id)
        if file is None or file.user != self._places.user(who).id:
            raise PlaygroundError(f"There is no file {file_id} of {who}.")
        return file

    def link(self, who: str, name: str, url: str) -> File:
        """A file that lies elsewhere, as connected drives give it."""
        return self._files.link(name, url, self._places.user(who).id)

    def integration(  # noqa: PLR0913 - all that a post of theirs may consist of
        self,
        name: str,
        where: str,
        text: str = "",
        blocks: Sequence[Json] = (),
        attachments: Sequence[Json] = (),
        *,
        webhook: bool = False,
    ) -> Message:
        """Post as another app, such as an alerting service; often without a text.

        By a webhook the message comes as a `bot_message` that has no user.
        """
        bot = self._workspace.add_bot(name)
        channel = self._workspace.channel(where)
        return self._postings.publish(
            Message(
                ts=self._postings.clock.next_ts(),
                channel=channel.id,
                user=bot.id,
                text=text,
                blocks=list(blocks),
                attachments=list(attachments),
                subtype="bot_message" if webhook else None,
                bot_id=bot.bot_id,
                app_id=bot.app_id,
            )
        )

    def edit(self, where: str, ts: str, typed: str, who: str | None = None) -> Message:
        """Change a message; with `who` only if it is theirs."""
        old = self._own(where, ts, who)
        text = encode(typed, self._workspace)
        edited = {"user": old.user, "ts": self._postings.clock.next_ts()}
        new = replace(old, text=text, blocks=rich_text(text), edited=edited)
        return self._postings.change(old, new)

    def delete(self, where: str, ts: str, who: str | None = None) -> None:
        """Take a message back; with `who` only if it is theirs."""
        self._postings.remove(self._own(where, ts, who))

    def react(self, who: str, where: str, ts: str, name: str) -> None:
        """Put an emoji below a message."""
        user = self._places.user(who)
        message = self._places.message(self._places.channel(user, where), ts)
        if not self._postings.react(message, user.id, name):
            raise PlaygroundError(f"{user.real_name} has reacted with {name} already.")

    def unreact(self, who: str, where: str, ts: str, name: str) -> None:
        """Take an emoji back."""
        user = self._places.user(who)
        message = self._places.message(self._places.channel(user, where), ts)
        if not self._postings.unreact(message, user.id, name):
            raise PlaygroundError(f"{user.real_name} has not reacted with {name}.")

    def unfurl(self, where: str, ts: str, title: str) -> Message:
        """Show a preview below a message with a link, as Slack does a moment after it is posted.

        A message that was posted without unfurling stays as it is.
        """
        old = self._places.message(self._workspace.channel(where), ts)
        if not old.unfurl_links:
            return old
        preview: Json = {"from_url": "https://runbooks.example/", "title": title, "id": 1}
        return self._postings.change(old, replace(old, attachments=[*old.attachments, preview]))

    def _compose(self, who: str, where: str, typed: str, thread_ts: str | None) -> Message:
        user = self._places.user(who)
        channel = self._places.writable(user, where)
        text = encode(typed, self._workspace)
        root = None if thread_ts is None else self._places.message(channel, thread_ts).root_ts
        return Message(
            ts=self._postings.clock.next_ts(),
            channel=channel.id,
            user=user.id,
            text=text,
            thread_ts=root,
            blocks=rich_text(text) if text else [],
            client_msg_id=secrets.token_hex(16),
        )

    def _own(self, where: str, ts: str, who: str | None) -> Message:
        if who is None:
            return self._places.message(self._workspace.channel(where), ts)
        user = self._places.user(who)
        message = self._places.message(self._places.channel(user, where), ts)
        if message.user != user.id:
            raise PlaygroundError(f"Message {ts} is not {user.real_name}'s.")
        return message
