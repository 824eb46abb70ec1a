"""Clicks and choices in messages, modals and the Home tab."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.playground.channels import Channel
from bot.playground.elements import EXTERNAL, HOLDS, Element, Given, find, objects
from bot.playground.entries import Entries
from bot.playground.errors import ApiError, PlaygroundError
from bot.playground.limits import check_options
from bot.playground.messages import Message
from bot.playground.people.interactions import Interactions
from bot.playground.people.places import Places
from bot.playground.people.receipts import Receipt
from bot.playground.users import User
from bot.playground.views import View
from bot.playground.wire import Json

SHORTEST_QUERY = 3


@dataclass(frozen=True, slots=True)
class _Surface:
    """Where an element stands, and what payloads say of the place."""

    user: User
    blocks: Sequence[Json]
    place: str
    said: Json
    source: tuple[Channel, Message] | None = None


class Clicks:
    """Everything that comes to the app as `block_actions` or asks it for options."""

    def __init__(self, interactions: Interactions, places: Places) -> None:
        self._interactions: Interactions = interactions
        self._views = interactions.services.views
        self._places: Places = places
        self._entries: Entries = Entries()

    async def in_message(
        self, who: str, where: str, ts: str, action_id: str, given: Given | None = None
    ) -> Receipt:
        """Click or choose in a message; `given` picks among several of one id, or an option."""
        return await self._act(self._message(who, where, ts), action_id, given)

    async def in_view(self, view: View, action_id: str, given: Given | None = None) -> Receipt:
        """Click, choose or fill in within a modal or a Home tab.

        The app hears of it at once unless it is the field of a form, which goes with the form.
        """
        return await self._act(self._view(view), action_id, given)

    async def options_in_message(
        self, who: str, where: str, ts: str, action_id: str, query: str
    ) -> list[Json]:
        """What the app offers for a query typed into one of a message's external selects."""
        surface = self._message(who, where, ts)
        return await self._offered(surface, find(surface.blocks, action_id), query)

    async def options_in_view(self, view: View, action_id: str, query: str) -> list[Json]:
        """What the app offers for a query typed into one of a view's external selects."""
        return await self._offered(self._view(view), find(view.blocks, action_id), query)

    async def _act(self, surface: _Surface, action_id: str, given: Given | None) -> Receipt:
        element = find(surface.blocks, action_id, given)
        offered = element.options()
        if element.kind == "file_input":
            offered = self._interactions.files_of(surface.user)
        if element.kind in EXTERNAL:
            # A person types what they look for, and takes it from the list.
            for query in [given] if isinstance(given, str) else given or []:
                offered += await self._offered(surface, element, query)
        action = element.action(given, offered)
        if element.kind in HOLDS:
            value = element.entered(given or "", offered)
            self._enter(surface, element, value)
        if not element.dispatches:
            return Receipt()
        action["action_ts"] = self._interactions.services.postings.clock.next_ts()
        payload = self._interactions.payload("block_actions", surface.user)
        payload |= self._said(surface) | {"actions": [action]}
        if surface.source is not None:
            channel, message = surface.source
            thread = message.thread_ts if message.is_reply else None
            payload["response_url"] = self._interactions.response_urls.new(
                surface.user.id, channel.id, message.ts, thread
            )
        return await self._interactions.ask(payload)

    async def _offered(self, surface: _Surface, element: Element, query: str) -> list[Json]:
        shortest = element.content.get("min_query_length", SHORTEST_QUERY)
        if element.kind not in EXTERNAL or len(query) < int(shortest):
            return []
        payload = self._interactions.payload("block_suggestion", surface.user, may_open=False)
        payload |= self._said(surface) | {
            "action_id": element.action_id,
            "block_id": element.block_id,
            "value": query,
        }
        receipt = await self._interactions.ask(payload)
        if receipt.error:
            raise PlaygroundError(f"The app gave no options ({receipt.error}).")
        answer = receipt.answer or {}
        groups = objects(answer.get("option_groups"))
        options = objects(answer.get("options"))
        options += [each for group in groups for each in objects(group.get("options"))]
        try:
            check_options(options)
        except ApiError as problem:
            raise PlaygroundError(f"The app's options can't be shown: {problem.code}.") from problem
        return options

    def _enter(self, surface: _Surface, element: Element, value: Json) -> None:
        if surface.source is None:
            self._views.entries.enter(surface.place, element.block_id, element.action_id, value)
        else:
            self._entries.enter(surface.place, element.block_id, element.action_id, value)

    def _said(self, surface: _Surface) -> Json:
        """What the payload says of the place, with what has been entered there until now."""
        if surface.source is not None:
            return surface.said | {"state": self._entries.state(surface.place, surface.blocks)}
        view = surface.said["view"]
        state = self._views.entries.state(surface.place, surface.blocks)
        return surface.said | {"view": view | {"state": state}}

    def _message(self, who: str, where: str, ts: str) -> _Surface:
        user = self._places.user(who)
        channel = self._places.channel(user, where)
        message = self._places.message(channel, ts)
        hidden = message.ephemeral_to is not None
        if hidden and message.ephemeral_to != user.id:
            raise PlaygroundError(f"{user.real_name} does not see message {ts}.")
        container: Json = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": channel.id,
            "is_ephemeral": hidden,
        }
        if message.thread_ts is not None:
            container["thread_ts"] = message.thread_ts
        said = {"container": container, "channel": self._interactions.channel(channel)}
        if not hidden:
            said["message"] = message.to_wire(self._interactions.workspace.team.id)
        place = f"{user.id}:{channel.id}:{ts}"
        return _Surface(user, message.blocks, place, said, (channel, message))

    def _view(self, view: View) -> _Surface:
        said: Json = {
            "container": {"type": "view", "view_id": view.id},
            "view": self._interactions.view(view),
        }
        return _Surface(self._places.user(view.user), view.blocks, view.id, said)
