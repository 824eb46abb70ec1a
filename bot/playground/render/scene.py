"""What rendering needs to know besides the block: the workspace, and what was entered."""

from dataclasses import dataclass, field
from typing import Any

from bot.playground.elements import Element
from bot.playground.wire import Json
from bot.playground.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Scene:
    """The surroundings of a block. `values` is the `state.values` of a view."""

    workspace: Workspace
    values: Json = field(default_factory=dict)

    def value(self, element: Element, name: str) -> Any:
        """What stands in an element now; `name` is the field of its value."""
        entry = self.values.get(element.block_id, {}).get(element.action_id)
        return (entry or element.initial()).get(name)
