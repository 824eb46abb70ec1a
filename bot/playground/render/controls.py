"""Interactive elements → nodes that tell the page what to send when they are used."""

from collections.abc import Callable, Sequence

from bot.playground.elements import EXTERNAL, HOLDS, SEVERAL, Element, objects
from bot.playground.render.nodes import Node, element, link
from bot.playground.render.scene import Scene
from bot.playground.render.texts import unknown, words
from bot.playground.wire import Json

INPUT_TYPES = {
    "plain_text_input": "text",
    "email_text_input": "email",
    "url_text_input": "url",
    "number_input": "number",
    "datepicker": "date",
    "timepicker": "time",
    "file_input": "file",
}
BUTTONS = frozenset({"button", "icon_button", "workflow_button", "feedback_buttons"})
ICONS = {"trash": "🗑"}


def render(control: Element, scene: Scene) -> list[Node]:
    """One element; what the page has no control for becomes labelled JSON."""
    kind = control.kind
    if kind in BUTTONS:
        return _buttons(control)
    if kind == "overflow":
        return [_overflow(control)]
    if kind in INPUT_TYPES:
        return [_input(control, scene)]
    if kind in {"checkboxes", "radio_buttons"}:
        return [_checks(control, scene)]
    if kind in HOLDS and kind.endswith("_select"):
        return [_select(control, scene)]
    return [unknown(kind, control.content)]


def _named(tag: str, control: Element) -> Json:
    node: Json = {
        "tag": tag,
        "children": [],
        "action_id": control.action_id,
        "block_id": control.block_id,
    }
    if control.kind in HOLDS:
        node["dispatches"] = control.dispatches
    confirm = control.content.get("confirm")
    if isinstance(confirm, dict):
        node["confirm"] = words(confirm.get("text")) or words(confirm.get("title"))
    return node


def _buttons(control: Element) -> list[Node]:
    content = control.content
    choices = [content]
    if control.kind == "feedback_buttons":
        choices = objects([content.get("positive_button"), content.get("negative_button")])
    nodes: list[Node] = []
    for choice in choices:
        icon = ICONS.get(str(content.get("icon")), "")
        label = f"{icon} {words(choice.get('text'))}".strip()
        button = _named("button", control) | {"children": [label], "value": choice.get("value")}
        if choice.get("style") in {"primary", "danger"}:
            button["kind"] = choice["style"]
        if choice.get("url"):
            button["url"] = choice["url"]
        if choice.get("accessibility_label"):
            button["label"] = str(choice["accessibility_label"])
        nodes.append(button)
    return nodes


def _overflow(control: Element) -> Node:
    """A menu that opens; each option is a button, or a link when it has an address."""
    options: list[Node] = []
    for option in control.options():
        button = _named("button", control)
        button |= {"children": [words(option.get("text"))], "value": option.get("value")}
        if option.get("url"):
            button["url"] = option["url"]
        options.append(button)
    return {"tag": "menu", "kind": "overflow", "children": options, "label": "More"}


def _input(control: Element, scene: Scene) -> Node:
    content = control.content
    tag = "textarea" if content.get("multiline") else "input"
    node = _named(tag, control) | {
        "type": INPUT_TYPES[control.kind],
        "placeholder": words(content.get("placeholder")),
    }
    if control.kind == "file_input":
        files = scene.value(control, "files") or []
        return node | {"value": "", "files": [{"id": f["id"], "name": f["name"]} for f in files]}
    return node | {"value": scene.value(control, HOLDS[control.kind]) or ""}


def _checks(control: Element, scene: Scene) -> Node:
    chosen = _chosen(control, scene)
    kind = "checkbox" if control.kind == "checkboxes" else "radio"
    return _named("checks", control) | {"type": kind, "options": _options(control, scene, chosen)}


def _select(control: Element, scene: Scene) -> Node:
    chosen = _chosen(control, scene)
    return _named("select", control) | {
        "placeholder": words(control.content.get("placeholder")) or "Choose",
        "several": control.kind in SEVERAL,
        "external": control.kind in EXTERNAL,
        "options": _options(control, scene, chosen),
    }


def _chosen(control: Element, scene: Scene) -> list[str]:
    """The values chosen now: of options, or ids."""
    value = scene.value(control, HOLDS[control.kind])
    several: Sequence[Json | str] = value if isinstance(value, list) else [value] if value else []
    return [str(each.get("value")) if isinstance(each, dict) else str(each) for each in several]


def _options(control: Element, scene: Scene, chosen: list[str]) -> list[Json]:
    if control.kind in EXTERNAL:
        value = scene.value(control, HOLDS[control.kind])
        known = objects(value if isinstance(value, list) else [value])
    elif named := LISTED.get(control.kind.removeprefix("multi_")):
        known = named(scene)
    else:
        known = control.options()
    return [
        {
            "text": words(each.get("text")),
            "about": words(each.get("description")),
            "value": str(each.get("value")),
            "chosen": each.get("value") in chosen,
        }
        for each in known
    ]


def _people(scene: Scene) -> list[Json]:
    users = [user for user in scene.workspace.users.values() if not user.is_bot]
    return [{"text": {"text": user.real_name}, "value": user.id} for user in users]


def _conversations(scene: Scene) -> list[Json]:
    channels = [each for each in scene.workspace.channels.values() if not each.is_im]
    return [{"text": {"text": f"#{each.name}"}, "value": each.id} for each in channels]


LISTED: dict[str, Callable[[Scene], list[Json]]] = {
    "users_select": _people,
    "conversations_select": _conversations,
    "channels_select": _conversations,
}


def field(block: Json, scene: Scene) -> Node:
    """An input block: label, control, hint; `block_id` is where an error is shown."""
    content = objects([block.get("element")])
    inside = [node for each in content for node in render(Element(block, each), scene)]
    label = words(block.get("label"))
    if block.get("optional"):
        label += " (optional)"
    return {
        "tag": "field",
        "label": label,
        "hint": words(block.get("hint")),
        "block_id": str(block.get("block_id")),
        "children": inside,
    }


def picture(url: str, alternative: str) -> Node:
    """An image, as a link: the page loads nothing from elsewhere."""
    return element("p", link(url, f"🖼 {alternative or 'image'}"))
