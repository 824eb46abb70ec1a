"""Blocks as the page's nodes: known tags only, and enough for the page to act on them."""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.playground.changes import Changes
from bot.playground.elements import with_ids
from bot.playground.entries import Entries
from bot.playground.messages import Message
from bot.playground.render.blocks import render_block, render_message
from bot.playground.render.scene import Scene
from bot.playground.workspace import Workspace
from tests.playground.blocks import (
    actions,
    button,
    field,
    option,
    plain,
    section,
    select,
    text_input,
)

type Node = Any


@pytest.fixture
def scene() -> Scene:
    """A workspace with Ana in it."""
    workspace = Workspace(Changes(), "Footnote")
    ana = workspace.add_user("Ana")
    workspace.add_channel("checkout", [ana.id])
    return Scene(workspace)


def walk(node: Node) -> Iterator[dict[str, Any]]:
    """Every element of a tree."""
    if isinstance(node, dict):
        yield node
        for child in node.get("children", []):
            yield from walk(child)


def words(node: Node) -> str:
    """The text of a tree."""
    return node if isinstance(node, str) else "".join(map(words, node.get("children", [])))


def only(node: Node, tag: str) -> dict[str, Any]:
    """The one element of this tag."""
    (found,) = [each for each in walk(node) if each["tag"] == tag]
    return found


def test_buttons_tell_what_to_send(scene: Scene) -> None:
    """A button's node carries its ids, value, style, address and question."""
    confirm = {"title": plain("Sure?"), "text": plain("Really?")}
    dangerous = {**button("drop", "v", "Drop"), "style": "danger", "confirm": confirm}
    node = only(render_block(actions(dangerous), scene), "button")
    assert (node["action_id"], node["block_id"], node["value"]) == ("drop", "row", "v")
    assert (node["kind"], node["confirm"], words(node)) == ("danger", "Really?", "Drop")


def test_feedback_is_two_buttons(scene: Scene) -> None:
    """Both thumbs are buttons of one action_id and two values."""
    feedback = {
        "type": "feedback_buttons",
        "action_id": "f",
        "positive_button": {"text": plain("Good"), "value": "good"},
        "negative_button": {"text": plain("Bad"), "value": "bad"},
    }
    node = render_block({"type": "context_actions", "elements": [feedback]}, scene)
    buttons = [each for each in walk(node) if each["tag"] == "button"]
    assert [(each["action_id"], each["value"]) for each in buttons] == [("f", "good"), ("f", "bad")]


def test_menus_are_rows_of_buttons(scene: Scene) -> None:
    """Each option of an overflow menu is a button that sends it."""
    menu = {"type": "overflow", "action_id": "more", "options": [option("mute"), option("why")]}
    node = only(render_block(section("x", accessory=menu), scene), "menu")
    assert [each["value"] for each in node["children"]] == ["mute", "why"]


def test_fields_show_what_was_entered(scene: Scene) -> None:
    """A field has label, hint and value: what was entered, else what it begins with."""
    start = field(
        text_input("name", initial_value="Ada"), "who", hint=plain("Short"), optional=True
    )
    node = render_block(start, scene)
    frame = only(node, "field")
    assert (frame["label"], frame["hint"], frame["block_id"]) == ("who (optional)", "Short", "who")
    assert (only(node, "input")["value"], only(node, "input")["dispatches"]) == ("Ada", False)
    entries = Entries()
    entries.enter("V1", "who", "name", {"type": "plain_text_input", "value": "Bob"})
    entered = Scene(scene.workspace, entries.state("V1", [start])["values"])
    assert only(render_block(start, entered), "input")["value"] == "Bob"


@pytest.mark.parametrize(
    ("element", "tag", "chosen"),
    [
        ({**select("s", "a", "b"), "initial_option": option("b")}, "select", ["b"]),
        (
            {
                "type": "multi_static_select",
                "action_id": "s",
                "option_groups": [
                    {"label": plain("One"), "options": [option("a")]},
                    {"label": plain("Two"), "options": [option("b")]},
                ],
                "initial_options": [option("a"), option("b")],
            },
            "select",
            ["a", "b"],
        ),
        (
            {"type": "external_select", "action_id": "s", "initial_option": option("x")},
            "select",
            ["x"],
        ),
        (
            {"type": "radio_buttons", "action_id": "s", "options": [option("a"), option("b")]},
            "checks",
            [],
        ),
        (
            {
                "type": "checkboxes",
                "action_id": "s",
                "options": [option("a")],
                "initial_options": [option("a")],
            },
            "checks",
            ["a"],
        ),
    ],
)
def test_choices_show_what_is_chosen(
    scene: Scene, element: dict[str, Any], tag: str, chosen: list[str]
) -> None:
    """Selects and boxes of every kind know which of their options is chosen."""
    node = only(render_block(field(element, "f"), scene), tag)
    assert [each["value"] for each in node["options"] if each["chosen"]] == chosen


def test_people_and_channels_are_offered(scene: Scene) -> None:
    """Selects of users and conversations list those of the workspace, without bots."""
    for kind, label in [("users_select", "Ana"), ("multi_conversations_select", "#checkout")]:
        node = only(render_block(actions({"type": kind, "action_id": "s"}), scene), "select")
        assert [each["text"] for each in node["options"]] == [label]


def test_tables_have_a_head_and_aligned_columns(scene: Scene) -> None:
    """The first row is the head; a column's alignment is its cells'; cells may be rich text."""
    rich = {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [{"type": "text", "text": "b", "style": {"bold": True}}],
            }
        ],
    }
    head = [{"type": "raw_text", "text": "Host"}, {"type": "raw_text", "text": "Port"}]
    rows = [head, [rich, {"type": "raw_text", "text": "5432"}]]
    settings = [{}, {"align": "right"}]
    node = render_block({"type": "table", "column_settings": settings, "rows": rows}, scene)
    assert [words(each) for each in walk(node) if each["tag"] == "th"] == ["Host", "Port"]
    assert [each.get("kind") for each in walk(node) if each["tag"] == "td"] == [None, "right"]
    assert words(only(node, "strong")) == "b"


def test_rich_text_is_formatted(scene: Scene) -> None:
    """Lists, quotes, code, links and mentions of rich_text have their elements."""
    user = next(each.id for each in scene.workspace.users.values() if each.name == "ana")
    section_ = {
        "type": "rich_text_section",
        "elements": [
            {"type": "user", "user_id": user},
            {"type": "link", "url": "javascript:alert(1)", "text": "bad"},
            {"type": "link", "url": "https://a.example"},
            {"type": "broadcast", "range": "here"},
        ],
    }
    pre = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "<b>\n x"}]}
    items = {"type": "rich_text_list", "style": "ordered", "elements": [section_]}
    node = render_block({"type": "rich_text", "elements": [items, pre]}, scene)
    assert {"ol", "li", "pre", "code"} <= {each["tag"] for each in walk(node)}
    assert words(only(node, "pre")) == "<b>\n x"
    assert only(node, "a")["href"] == "https://a.example"
    assert "@Ana" in words(node)


def test_alerts_and_files_are_shown(scene: Scene) -> None:
    """An attachment shows its parts; a file can be fetched, an external one is a link."""
    attachment = {
        "title": "[FIRING] Queue",
        "title_link": "https://a.example",
        "text": "*deep*",
        "fields": [{"title": "Severity", "value": "page"}],
        "footer": "Alertmanager",
    }
    files = [
        {"id": "F1", "name": "n.md", "size": 2_048, "is_external": False},
        {"id": "F2", "name": "plan", "is_external": True, "url_private": "https://b.example"},
    ]
    message = Message("1.0", "C1", "U1", "", attachments=[attachment], files=files)
    node = {"tag": "div", "children": render_message(message, scene)}
    for part in ("[FIRING] Queue", "deep", "Severity", "page", "Alertmanager", "n.md · 2 KB"):
        assert part in words(node)
    assert only(node, "file")["id"] == "F1"
    links = [each["href"] for each in walk(node) if each["tag"] == "a"]
    assert links == ["https://a.example", "https://b.example"]


def test_what_is_unknown_is_labelled(scene: Scene) -> None:
    """A block or an element without a picture of its own is shown as JSON with its type."""
    clock = {"type": "datetimepicker", "action_id": "when"}
    for block, kind in [({"type": "video"}, "video"), (actions(clock), "datetimepicker")]:
        (node,) = [
            each for each in walk(render_block(block, scene)) if each.get("kind") == "unknown"
        ]
        assert words(node).startswith(kind)


def test_new_ids_each_time() -> None:
    """Blocks without ids get new ones each time; given ones stay."""
    bare = [{"type": "section"}, {"type": "actions", "elements": [{"type": "button"}]}]
    one, two = with_ids(bare), with_ids(bare)
    assert one[0]["block_id"] != two[0]["block_id"]
    assert one[1]["elements"][0]["action_id"] != two[1]["elements"][0]["action_id"]
    assert with_ids([section("x", block_id="mine")])[0]["block_id"] == "mine"


def test_dates_are_for_the_page_to_say(scene: Scene) -> None:
    """A date comes with its seconds, form and fallback: no call, and nothing in another zone."""
    node = render_block(section("as of <!date^1700000000^{date_short_pretty}|2023-11-14>"), scene)
    time = only(node, "time")
    assert (time["seconds"], time["format"]) == (1_700_000_000, "{date_short_pretty}")
    assert words(time) == "2023-11-14"
    assert "ping" not in {each.get("kind") for each in walk(node)}


def test_a_list_that_was_interrupted_counts_on(scene: Scene) -> None:
    """The next step of a rich text has the number that its app says, and its depth."""
    item = {"type": "rich_text_section", "elements": [{"type": "text", "text": "Wait."}]}
    steps = {"type": "rich_text_list", "style": "ordered", "offset": 1, "indent": 1}
    node = render_block({"type": "rich_text", "elements": [{**steps, "elements": [item]}]}, scene)
    assert (only(node, "ol")["start"], only(node, "ol")["kind"]) == (2, "indented")
