"""What can be clicked, chosen or filled in within blocks, and how apps are told of it. Pure."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bot.playground.errors import PlaygroundError
from bot.playground.wire import Json

HOLDS = {
    "plain_text_input": "value",
    "email_text_input": "value",
    "url_text_input": "value",
    "number_input": "value",
    "rich_text_input": "rich_text_value",
    "file_input": "files",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "radio_buttons": "selected_option",
    "static_select": "selected_option",
    "external_select": "selected_option",
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "checkboxes": "selected_options",
    "multi_static_select": "selected_options",
    "multi_external_select": "selected_options",
    "multi_users_select": "selected_users",
    "multi_conversations_select": "selected_conversations",
    "multi_channels_select": "selected_channels",
}
"""Elements that keep a value, and the field of `state.values` it stands in."""

EXTERNAL = frozenset({"external_select", "multi_external_select"})
SEVERAL = frozenset(
    {"checkboxes", "file_input"} | {kind for kind in HOLDS if kind.startswith("multi_")}
)
CHOSEN = frozenset({"selected_option", "selected_options"})

type Given = str | Sequence[str]
"""What a person gives an element: a text, the value of an option, an id; or several of them."""


@dataclass(frozen=True, slots=True)
class Element:
    """An interactive element and the block it stands in."""

    block: Json
    content: Json

    @property
    def kind(self) -> str:
        """Its type."""
        return str(self.content.get("type"))

    @property
    def block_id(self) -> str:
        """The id of its block."""
        return str(self.block.get("block_id"))

    @property
    def action_id(self) -> str:
        """Its own id."""
        return str(self.content.get("action_id"))

    @property
    def dispatches(self) -> bool:
        """Whether the app hears of each change at once, and not only when a modal is submitted."""
        return self.block.get("type") != "input" or bool(self.block.get("dispatch_action"))

    def options(self) -> list[Json]:
        """What it offers, in groups or not."""
        groups = objects(self.content.get("option_groups"))
        listed = objects(self.content.get("options"))
        return listed + [each for group in groups for each in objects(group.get("options"))]

    def initial(self) -> Json:
        """Its entry in `state.values` before anybody touches it."""
        field = HOLDS[self.kind]
        start = field.removeprefix("selected_").removeprefix("rich_text_")
        empty: Any = [] if self.kind in SEVERAL else None
        return {"type": self.kind, field: self.content.get(f"initial_{start}", empty)}

    def entered(self, given: Given, offered: Sequence[Json]) -> Json:
        """Its entry in `state.values` once a person gave something.

        Raises:
            PlaygroundError: an option that isn't among those offered.
        """
        field = HOLDS[self.kind]
        several = [given] if isinstance(given, str) else list(given)
        found: list[Any] = list(several)
        if self.kind == "file_input":
            found = [each for each in offered if each.get("id") in several]
        if field in CHOSEN:
            found = [_option(self.action_id, offered, each) for each in several if each]
        if self.kind == "datetimepicker":
            found = [int(each) for each in several if each]
        if self.kind in SEVERAL:
            return {"type": self.kind, field: found}
        return {"type": self.kind, field: found[0] if found and found[0] != "" else None}

    def action(self, given: Given | None, offered: Sequence[Json]) -> Json:
        """Its entry in `actions`, without the time.

        Raises:
            PlaygroundError: what was given isn't there to click or to choose.
        """
        base: Json = {
            "type": self.kind,
            "action_id": self.action_id,
            "block_id": self.block_id,
        }
        if self.kind in HOLDS:
            if given is None:
                raise PlaygroundError(f"{self.action_id!r} wants to know what is chosen.")
            return base | self.entered(given, offered)
        if self.kind == "overflow":
            return base | {"selected_option": _option(self.action_id, offered, given)}
        for button in self._buttons():
            if given in (None, button.get("value")):
                kept = ("text", "value", "url", "style")
                return base | {key: button[key] for key in kept if key in button}
        raise PlaygroundError(f"{self.action_id!r} has no button with the value {given!r}.")

    def _buttons(self) -> list[Json]:
        if self.kind == "feedback_buttons":
            both = [self.content.get("positive_button"), self.content.get("negative_button")]
            return objects(both)
        return [self.content]


def _option(action_id: str, offered: Sequence[Json], given: Given | None) -> Json:
    for option in offered:
        if option.get("value") == given:
            return option
    raise PlaygroundError(f"{action_id!r} offers no option with the value {given!r}.")


def objects(value: Any) -> list[Json]:
    """The objects of a list; none when it isn't a list."""
    if not isinstance(value, list):
        return []
    return [cast("Json", each) for each in cast("list[Any]", value) if isinstance(each, dict)]


def elements(blocks: Sequence[Json]) -> Iterator[Element]:
    """Every interactive element of some blocks, in reading order."""
    for block in blocks:
        inside = objects([block.get("accessory"), block.get("element")])
        if block.get("type") in {"actions", "context_actions"}:
            inside += objects(block.get("elements"))
        for content in inside:
            if content.get("type") != "image":
                yield Element(block, content)


def find(blocks: Sequence[Json], action_id: str, given: Given | None = None) -> Element:
    """The element with this id; among several of one id the one that has the value given.

    Raises:
        PlaygroundError: there is none.
    """
    found = [each for each in elements(blocks) if each.action_id == action_id]
    for each in found:
        if len(found) == 1 or given in (None, each.content.get("value")):
            return each
    raise PlaygroundError(f"There is nothing to click here with the id {action_id!r}.")


def with_ids(blocks: Sequence[Json]) -> list[Json]:
    """The blocks with the ids Slack gives to those without: new ones each time."""
    return [_with_ids(block) for block in blocks]


def _with_ids(block: Json) -> Json:
    named = {"block_id": _new_id(), **block}
    for key in ("accessory", "element"):
        for inside in objects([named.get(key)]):
            named[key] = {"action_id": _new_id(), **inside}
    if named.get("type") in {"actions", "context_actions"}:
        named["elements"] = [
            {"action_id": _new_id(), **each} for each in objects(named["elements"])
        ]
    return named


def _new_id() -> str:
    return secrets.token_urlsafe(4)
