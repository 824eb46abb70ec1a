"""Shortcuts: from a message's menu, and from anywhere."""

from bot.playground.people.interactions import Interactions
from bot.playground.people.places import Places
from bot.playground.people.receipts import Receipt


class Shortcuts:
    """Runs the app's shortcuts by callback_id."""

    def __init__(self, interactions: Interactions, places: Places) -> None:
        self._interactions: Interactions = interactions
        self._places: Places = places

    async def on_message(self, who: str, where: str, ts: str, callback_id: str) -> Receipt:
        """Use a shortcut from the menu of a message, anybody's."""
        user = self._places.user(who)
        channel = self._places.channel(user, where)
        message = self._places.message(channel, ts)
        thread = message.thread_ts if message.is_reply else None
        urls, workspace = self._interactions.response_urls, self._interactions.workspace
        payload = self._interactions.payload("message_action", user) | {
            "callback_id": callback_id,
            "action_ts": self._interactions.services.postings.clock.next_ts(),
            "message_ts": message.ts,
            "channel": self._interactions.channel(channel),
            "message": message.to_wire(workspace.team.id),
            "response_url": urls.new(user.id, channel.id, None, thread),
        }
        return await self._interactions.ask(payload)

    async def anywhere(self, who: str, callback_id: str) -> Receipt:
        """Use a global shortcut: the app hears of no channel."""
        payload = self._interactions.payload("shortcut", self._places.user(who)) | {
            "callback_id": callback_id,
            "action_ts": self._interactions.services.postings.clock.next_ts(),
        }
        return await self._interactions.ask(payload)
