"""The limits of blocks, one by one and together."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from bot.playground.elements import objects
from bot.playground.limits.elements import (
    ACCESSORIES,
    IN_ACTIONS,
    IN_CONTEXT_ACTIONS,
    IN_INPUT,
    element,
    elements,
)
from bot.playground.limits.problems import (
    Problem,
    ids,
    missing,
    refuse,
    text_object,
    too_long,
    too_many,
)
from bot.playground.wire import Json

MARKDOWN_TOTAL = 12_000
SECTION_TEXT = 3_000
SECTION_FIELDS = 10
SECTION_FIELD = 2_000
HEADER_TEXT = 150
CONTEXT_ELEMENTS = 10
CONTEXT_TEXT = 3_000
ACTION_ELEMENTS = 25
CONTEXT_ACTIONS = 5
INPUT_LABEL = 2_000
IMAGE_URL = 3_000
IMAGE_TEXT = 2_000
TABLE_ROWS = 100
TABLE_CELLS = 20

OTHERS = frozenset(
    {"alert", "card", "carousel", "data_table", "divider", "file", "plan", "rich_text"}
    | {"task_card", "video"}
)
"""Blocks that Slack has and whose insides aren't looked at here."""


def check_blocks(
    blocks: Sequence[Json], most: int, *, code: str = "invalid_blocks", pointer: str = "/blocks"
) -> None:
    """Refuse blocks beyond the limits.

    Raises:
        ApiError: `code`.
    """
    refuse(code, _all_problems(blocks, most, pointer))


def text_length(node: Any) -> int:
    """The characters of all texts below a node."""
    if isinstance(node, list):
        return sum(text_length(item) for item in cast("list[Any]", node))
    if not isinstance(node, dict):
        return 0
    total = 0
    for key, value in cast("Json", node).items():
        total += len(value) if key == "text" and isinstance(value, str) else text_length(value)
    return total


def _all_problems(blocks: Sequence[Any], most: int, pointer: str) -> list[Problem]:
    found: list[Problem] = []
    if len(blocks) > most:
        found.append((pointer, f"no more than {most} items allowed"))
    seen: set[str] = set()
    for index, block in enumerate(blocks):
        where = f"{pointer}/{index}"
        if not isinstance(block, dict):
            return [(where, "must be an object")]
        found += _problems(where, block)
        block_id = block.get("block_id")
        if block_id is not None and str(block_id) in seen:
            found.append((f"{where}/block_id", f"`{block_id}` already exists"))
        seen.add(str(block_id))
    markdown = sum(len(str(b.get("text", ""))) for b in blocks if b.get("type") == "markdown")
    if markdown > MARKDOWN_TOTAL:
        found.append((pointer, f"markdown must be less than {MARKDOWN_TOTAL + 1} characters"))
    if sum(block.get("type") == "table" for block in blocks) > 1:
        found.append((pointer, "only_one_table_allowed"))
    return found


def _problems(pointer: str, block: Json) -> list[Problem]:
    kind = str(block.get("type"))
    if kind in OTHERS:
        return ids(pointer, block, "block_id")
    check = CHECKS.get(kind)
    if check is None:
        return [(f"{pointer}/type", f"unsupported type: {kind}")]
    return ids(pointer, block, "block_id") + check(pointer, block)


def _section(pointer: str, block: Json) -> list[Problem]:
    found: list[Problem] = []
    if block.get("text") is None and block.get("fields") is None:
        found += missing(pointer, "text or fields")
    found += text_object(f"{pointer}/text", block.get("text"), SECTION_TEXT, required=False)
    if block.get("fields") is not None:
        found += too_many(f"{pointer}/fields", block["fields"], SECTION_FIELDS)
    for index, text in enumerate(objects(block.get("fields"))):
        found += text_object(f"{pointer}/fields/{index}", text, SECTION_FIELD)
    if block.get("accessory") is not None:
        found += element(f"{pointer}/accessory", block["accessory"], ACCESSORIES)
    return found


def _header(pointer: str, block: Json) -> list[Problem]:
    return text_object(f"{pointer}/text", block.get("text"), HEADER_TEXT, plain=True)


def _markdown(pointer: str, block: Json) -> list[Problem]:
    if not isinstance(block.get("text"), str) or not block["text"]:
        return missing(f"{pointer}/text", "text")
    return []


def _context(pointer: str, block: Json) -> list[Problem]:
    found = too_many(f"{pointer}/elements", block.get("elements"), CONTEXT_ELEMENTS)
    for index, each in enumerate(objects(block.get("elements"))):
        if each.get("type") != "image":
            found += text_object(f"{pointer}/elements/{index}", each, CONTEXT_TEXT)
    return found


def _actions(pointer: str, block: Json) -> list[Problem]:
    where = f"{pointer}/elements"
    return too_many(where, block.get("elements"), ACTION_ELEMENTS) + elements(
        where, block.get("elements"), IN_ACTIONS
    )


def _context_actions(pointer: str, block: Json) -> list[Problem]:
    where = f"{pointer}/elements"
    return too_many(where, block.get("elements"), CONTEXT_ACTIONS) + elements(
        where, block.get("elements"), IN_CONTEXT_ACTIONS
    )


def _input(pointer: str, block: Json) -> list[Problem]:
    return (
        text_object(f"{pointer}/label", block.get("label"), INPUT_LABEL, plain=True)
        + text_object(f"{pointer}/hint", block.get("hint"), INPUT_LABEL, plain=True, required=False)
        + element(f"{pointer}/element", block.get("element"), IN_INPUT)
    )


def _image(pointer: str, block: Json) -> list[Problem]:
    if "image_url" not in block and "slack_file" not in block:
        return missing(pointer, "image_url or slack_file")
    return (
        too_long(f"{pointer}/image_url", block.get("image_url", ""), IMAGE_URL)
        + too_long(f"{pointer}/alt_text", block.get("alt_text"), IMAGE_TEXT)
        + text_object(
            f"{pointer}/title", block.get("title"), IMAGE_TEXT, plain=True, required=False
        )
    )


def _table(pointer: str, block: Json) -> list[Problem]:
    rows = block.get("rows")
    if not isinstance(rows, list) or not rows:
        return missing(pointer, "rows")
    listed = cast("list[Any]", rows)
    found: list[Problem] = []
    if len(listed) > TABLE_ROWS:
        found.append((f"{pointer}/rows", f"no more than {TABLE_ROWS} items allowed"))
    for index, row in enumerate(listed):
        where = f"{pointer}/rows/{index}"
        found += too_many(where, row, TABLE_CELLS)
        for cell, content in enumerate(objects(row)):
            if content.get("type") not in {"raw_text", "rich_text"}:
                kind = content.get("type")
                found.append((f"{where}/{cell}/type", f"unsupported type: {kind}"))
            elif content["type"] == "raw_text" and not content.get("text"):
                found.append((f"{where}/{cell}/text", "must be more than 0 characters"))
    return found


CHECKS: dict[str, Callable[[str, Json], list[Problem]]] = {
    "section": _section,
    "header": _header,
    "markdown": _markdown,
    "context": _context,
    "actions": _actions,
    "context_actions": _context_actions,
    "input": _input,
    "image": _image,
    "table": _table,
}
