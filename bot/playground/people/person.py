"""One person, for tests: what they do, and what they see."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.playground.elements import Given
from bot.playground.errors import PlaygroundError
from bot.playground.messages import Message
from bot.playground.people.people import People
from bot.playground.people.receipts import Receipt
from bot.playground.users import User
from bot.playground.views import View
from bot.playground.wire import Json


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace. Channels are given by name or id, or as `dm`.

    What is done is awaited; what asks the app returns once it has acknowledged, or has not.
    """

    user: User
    people: People

    @property
    def id(self) -> str:
        """The user id."""
        return self.user.id

    async def post(
        self, channel: str, text: str, thread_ts: str | None = None, *, broadcast: bool = False
    ) -> str:
        """Write a message, a reply also into the channel if `broadcast`; returns its ts."""
        writing = self.people.writing
        return writing.post(self.id, channel, text, thread_ts, broadcast=broadcast).ts

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """Change one's own message."""
        self.people.writing.edit(channel, ts, text, self.id)

    async def delete(self, channel: str, ts: str) -> None:
        """Take one's own message back."""
        self.people.writing.delete(channel, ts, self.id)

    async def react(self, channel: str, ts: str, name: str) -> None:
        """Put an emoji below a message."""
        self.people.writing.react(self.id, channel, ts, name)

    async def unreact(self, channel: str, ts: str, name: str) -> None:
        """Take an emoji back."""
        self.people.writing.unreact(self.id, channel, ts, name)

    async def upload(  # noqa: PLR0913 - all that a file may be posted with
        self,
        channel: str,
        name: str,
        content: bytes,
        text: str = "",
        thread_ts: str | None = None,
        *,
        clip: bool = False,
    ) -> str:
        """Post a file or an audio clip, with or without words; returns the message's ts."""
        file = self.people.writing.upload(self.id, name, content)
        return self.people.writing.share(channel, file, text, thread_ts, clip=clip).ts

    async def share_link(self, channel: str, name: str, url: str) -> str:
        """Post a file that lies elsewhere, as a connected drive does; returns the message's ts."""
        file = self.people.writing.link(self.id, name, url)
        return self.people.writing.share(channel, file).ts

    async def file(self, name: str, content: bytes) -> str:
        """Upload a file to put into a form; returns its id."""
        return self.people.writing.upload(self.id, name, content).id

    async def command(
        self, channel: str, command: str, text: str = "", thread_ts: str | None = None
    ) -> Receipt:
        """Use a slash command."""
        return await self.people.commands.run(self.id, channel, command, text, thread_ts)

    async def shortcut(self, callback_id: str) -> Receipt:
        """Use a global shortcut."""
        return await self.people.shortcuts.anywhere(self.id, callback_id)

    async def message_shortcut(self, channel: str, ts: str, callback_id: str) -> Receipt:
        """Use a shortcut from a message's menu."""
        return await self.people.shortcuts.on_message(self.id, channel, ts, callback_id)

    async def click(
        self, channel: str, ts: str, action_id: str, given: Given | None = None
    ) -> Receipt:
        """Click a button of a message, or choose in it; `given` names a value when it must."""
        return await self.people.clicks.in_message(self.id, channel, ts, action_id, given)

    async def click_modal(self, action_id: str, given: Given | None = None) -> Receipt:
        """Click, choose or fill in within the modal on top."""
        return await self.people.clicks.in_view(self.people.modals.top(self.id), action_id, given)

    async def click_home(self, action_id: str, given: Given | None = None) -> Receipt:
        """Click or choose in the Home tab."""
        if self.home is None:
            raise PlaygroundError(f"{self.user.real_name} has no Home tab.")
        return await self.people.clicks.in_view(self.home, action_id, given)

    async def options(self, action_id: str, query: str) -> list[Json]:
        """What an external select of the modal on top offers for a query."""
        view = self.people.modals.top(self.id)
        return await self.people.clicks.options_in_view(view, action_id, query)

    async def submit(self, values: Mapping[str, Given] | None = None) -> Receipt:
        """Fill in fields of the modal on top, by action_id, and submit it."""
        return await self.people.modals.submit(self.id, values or {})

    async def close_modal(self, *, everything: bool = False) -> None:
        """Close the modal on top by its button, or with the cross the whole stack."""
        await self.people.modals.close(self.id, everything=everything)

    async def open_home(self) -> None:
        """Open the app's Home tab."""
        self.people.sight.open_home(self.id)

    def sees(self, channel: str, thread_ts: str | None = None) -> list[Message]:
        """A conversation, or a thread with its root, as this person sees it; oldest first."""
        return self.people.sight.sees(self.id, channel, thread_ts)

    @property
    def modal(self) -> View | None:
        """The modal on top; its `errors` are the sentences shown in it."""
        return self.people.modals.shown(self.id)

    @property
    def home(self) -> View | None:
        """The Home tab the app published for this person."""
        return self.people.sight.home(self.id)
