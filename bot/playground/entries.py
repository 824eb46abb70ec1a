"""What people have entered and not yet sent: `state.values` of messages and views."""

from collections.abc import Sequence

from bot.playground.elements import HOLDS, elements
from bot.playground.wire import Json


class Entries:
    """Values by place, block_id and action_id.

    A place is a view's id, or stands for one person's sight of a message. A value outlives an
    update of its place as long as its block and its element keep their ids, as in Slack.
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[tuple[str, str], Json]] = {}

    def enter(self, place: str, block_id: str, action_id: str, value: Json) -> None:
        """Keep what somebody entered."""
        self._values.setdefault(place, {})[block_id, action_id] = value

    def forget(self, place: str) -> None:
        """Drop what was entered in a view that was closed."""
        self._values.pop(place, None)

    def state(self, place: str, blocks: Sequence[Json]) -> Json:
        """The `state` of payloads: what was entered, else what the blocks begin with."""
        entered = self._values.get(place, {})
        values: dict[str, Json] = {}
        for each in elements(blocks):
            if each.kind in HOLDS:
                value = entered.get((each.block_id, each.action_id)) or each.initial()
                values.setdefault(each.block_id, {})[each.action_id] = value
        return {"values": values}
