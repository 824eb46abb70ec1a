"""The workspace as the page and the smoke client read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.playground.backstage import Backstage, Switch
from bot.playground.composer import decode
from bot.playground.messages import Message
from bot.playground.people import SYSTEM_USER
from bot.playground.render.blocks import render_block, render_message
from bot.playground.render.scene import Scene
from bot.playground.render.texts import words
from bot.playground.services import Services
from bot.playground.views import View
from bot.playground.wire import Json


@dataclass(slots=True)
class Offers:
    """What the page offers: what the manifest has, and what stands behind the scenes.

    `commands` have the hint of what to type behind each; `own` are the stand-in's switches.
    """

    commands: Mapping[str, str]
    shortcuts: Sequence[Json]
    home: bool
    own: Sequence[Switch]
    stage: Backstage = field(default_factory=Backstage)

    @property
    def switches(self) -> list[Switch]:
        """Everything that can be made to go wrong."""
        return [*self.own, *self.stage.switches]

    def to_json(self) -> Json:
        """What of it the page needs to know."""
        tour = self.stage.tour
        return {
            "commands": [{"name": name, "hint": hint} for name, hint in self.commands.items()],
            "shortcuts": list(self.shortcuts),
            "home": self.home,
            "trace": self.stage.trace is not None,
            "switches": [
                {"name": each.name, "label": each.label, "about": each.about, "on": each.is_on()}
                for each in self.switches
            ],
            "tour": tour
            and {
                "question": tour.question,
                "follow_up": tour.follow_up,
                "unknown": tour.unknown,
                "alert": tour.alert is not None,
                "document": tour.document and tour.document[0],
                "about": tour.about,
            },
        }


class Snapshot:
    """Builds the JSON of /playground/state."""

    def __init__(self, services: Services, offers: Offers) -> None:
        self._services: Services = services
        self._offers: Offers = offers

    def since(self, revision: int) -> Json:
        """Everything small in full; messages changed and removed after the revision."""
        postings = self._services.postings
        workspace, log = postings.workspace, postings.log
        people = [user for user in workspace.users.values() if not user.is_bot]
        return {
            "revision": log.changes.revision,
            "team": workspace.team.name,
            "bot": {"id": workspace.bot.id, "name": workspace.bot.real_name},
            "connected": self._services.socket.connections,
            "http": postings.courier.transport is not self._services.socket,
            "people": [{"id": user.id, "name": user.real_name} for user in people],
            "channels": [
                {
                    "id": channel.id,
                    "name": channel.name,
                    "kind": channel.kind,
                    "members": channel.members,
                }
                for channel in workspace.channels.values()
            ],
            **self._offers.to_json(),
            "statuses": [
                {"channel": channel, "thread_ts": ts, "text": text}
                for channel, ts, text in postings.statuses.everything()
            ],
            "views": [self._view(view) for view in self._services.views.visible()],
            "homes": [self._view(view) for view in self._services.views.homes.values()],
            "messages": [self._message(each) for each in log.changed_since(revision)],
            "removed": [{"channel": c, "ts": ts} for c, ts in log.removed_since(revision)],
        }

    def _view(self, view: View) -> Json:
        values = self._services.views.entries.state(view.id, view.blocks)["values"]
        scene = Scene(self._services.postings.workspace, values)
        return {
            "id": view.id,
            "hash": view.hash,
            "user": view.user,
            "old": self._services.views.is_old(view),
            "title": view.title,
            "submit": words(view.content.get("submit")),
            "close": words(view.content.get("close")) or "Close",
            "errors": view.errors,
            "nodes": [render_block(each, scene) for each in view.blocks],
        }

    def _message(self, message: Message) -> Json:
        workspace = self._services.postings.workspace
        author = workspace.users.get(message.user)
        name = author.real_name if author is not None else "Workspace"
        return {
            "ts": message.ts,
            "channel": message.channel,
            "thread_ts": message.thread_ts if message.is_reply else None,
            "user": message.user,
            "name": name,
            "is_bot": message.bot_id is not None or message.user == SYSTEM_USER,
            "text": message.text,
            "typed": decode(message.text, workspace),
            "gone": message.subtype == "tombstone",
            "blocks": message.blocks,
            "metadata": message.metadata,
            "edited": message.edited is not None,
            "ephemeral_to": message.ephemeral_to,
            "broadcast": message.subtype == "thread_broadcast",
            "reactions": [
                {"name": emoji, "count": len(users)} for emoji, users in message.reactions.items()
            ],
            "nodes": render_message(message, Scene(workspace)),
        }
