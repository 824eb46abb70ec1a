"""What a person sees: a channel, a thread, modals, the Home tab."""

from bot.playground.events import callback
from bot.playground.messages import Message
from bot.playground.people.interactions import Interactions
from bot.playground.people.places import Places
from bot.playground.views import View


class Sight:
    """The workspace through one person's eyes; others' ephemeral messages aren't there."""

    def __init__(self, interactions: Interactions, places: Places) -> None:
        self._interactions: Interactions = interactions
        self._postings = interactions.services.postings
        self._places: Places = places

    def sees(self, who: str, where: str, thread_ts: str | None = None) -> list[Message]:
        """A conversation, or a thread with its root; oldest first, with ephemeral messages."""
        user = self._places.user(who)
        channel = self._places.channel(user, where)
        log = self._postings.log
        hidden = log.ephemeral(channel.id, user.id)
        if thread_ts is None:
            shown = log.history(channel.id) + [each for each in hidden if not each.is_reply]
        else:
            root = self._places.message(channel, thread_ts)
            replies = log.replies(channel.id, root.ts)
            below = [each for each in hidden if each.thread_ts == root.ts and each != root]
            shown = [root, *replies, *below]
        return sorted(shown, key=lambda message: message.ts)

    def home(self, who: str) -> View | None:
        """The Home tab the app published for a person."""
        return self._interactions.services.views.homes.get(self._places.user(who).id)

    def open_home(self, who: str, tab: str = "home") -> None:
        """Open the app's Home, or its messages; the app hears of it each time."""
        user = self._places.user(who)
        workspace = self._interactions.workspace
        event = {
            "type": "app_home_opened",
            "user": user.id,
            "channel": workspace.direct_messages(user.id).id,
            "tab": tab,
            "event_ts": self._postings.clock.next_ts(),
        }
        view = self.home(who)
        if tab == "home" and view is not None:
            event |= {"view": self._interactions.view(view)}
        self._postings.courier.dispatch(callback(workspace, event))
