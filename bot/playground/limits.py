"""The limits Slack puts on a message, with its error names.

Source: the Block Kit reference and chat.postMessage's list of errors; the total of all text in
blocks is a third party's measurement.
"""

from typing import Any, cast

from bot.playground.errors import ApiError
from bot.playground.wire import Json

MESSAGE_TEXT = 40_000
UPDATE_TEXT = 4_000
MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
ALL_BLOCK_TEXT = 13_200
MARKDOWN_TOTAL = 12_000
SECTION_TEXT = 3_000
SECTION_FIELDS = 10
SECTION_FIELD = 2_000
HEADER_TEXT = 150
CONTEXT_ELEMENTS = 10
ACTION_ELEMENTS = 25
CONTEXT_ACTIONS = 5
BUTTON_TEXT = 75
BUTTON_VALUE = 2_000
BUTTON_URL = 3_000
ID_LENGTH = 255

BLOCK_TYPES = frozenset(
    {"actions", "alert", "card", "carousel", "context", "context_actions", "data_table", "divider"}
    | {"file", "header", "image", "input", "markdown", "plan", "rich_text", "section", "table"}
    | {"task_card", "video"}
)


def check_message(text: str, blocks: list[Json], attachments: list[Json], *, update: bool) -> None:
    """Refuse what Slack refuses: no content, too long a text, malformed or too large blocks."""
    if not text and not blocks and not attachments:
        raise ApiError("no_text")
    if len(text) > (UPDATE_TEXT if update else MESSAGE_TEXT):
        raise ApiError("msg_too_long")
    check_blocks(blocks, MESSAGE_BLOCKS)


def check_blocks(blocks: list[Json], most: int) -> None:
    """Refuse blocks beyond the limits: `invalid_blocks`, or `msg_blocks_too_long` in total."""
    problems: list[str] = []
    if len(blocks) > most:
        problems.append(f"no more than {most} items allowed [json-pointer:/blocks]")
    for index, block in enumerate(blocks):
        problems += [
            f"{problem} [json-pointer:/blocks/{index}{pointer}]"
            for pointer, problem in _problems(block)
        ]
    markdown = sum(len(str(b.get("text", ""))) for b in blocks if b.get("type") == "markdown")
    if markdown > MARKDOWN_TOTAL:
        problems.append(f"markdown must be less than {MARKDOWN_TOTAL + 1} characters in total")
    if problems:
        messages = [f"[ERROR] {problem}" for problem in problems]
        raise ApiError(
            "invalid_blocks", {"errors": problems, "response_metadata": {"messages": messages}}
        )
    if sum(_text_length(block) for block in blocks) > ALL_BLOCK_TEXT:
        raise ApiError("msg_blocks_too_long")


def _problems(block: Json) -> list[tuple[str, str]]:
    kind = block.get("type")
    if kind not in BLOCK_TYPES:
        return [("/type", f"unsupported type: {kind}")]
    found = _too_long("/block_id", block.get("block_id", ""), ID_LENGTH)
    match kind:
        case "section":
            found += _section(block)
        case "header":
            found += _text_object("/text", block.get("text"), HEADER_TEXT)
        case "markdown":
            if not block.get("text"):
                found.append(("/text", "missing required field: text"))
        case "context":
            found += _element_count(block, CONTEXT_ELEMENTS)
        case "actions":
            found += _element_count(block, ACTION_ELEMENTS) + _elements(block)
        case "context_actions":
            found += _element_count(block, CONTEXT_ACTIONS)
        case _:
            pass
    return found


def _section(block: Json) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    fields = _objects(block.get("fields"))
    if "text" not in block and not fields:
        found.append(("", "missing required field: text or fields"))
    if "text" in block:
        found += _text_object("/text", block["text"], SECTION_TEXT)
    if len(fields) > SECTION_FIELDS:
        found.append(("/fields", f"no more than {SECTION_FIELDS} items allowed"))
    for index, text in enumerate(fields):
        found += _text_object(f"/fields/{index}", text, SECTION_FIELD)
    if isinstance(block.get("accessory"), dict):
        found += _element("/accessory", block["accessory"])
    return found


def _objects(value: Any) -> list[Json]:
    """The objects of a list, none when it is not a list."""
    if not isinstance(value, list):
        return []
    return [cast("Json", each) for each in cast("list[Any]", value) if isinstance(each, dict)]


def _element_count(block: Json, most: int) -> list[tuple[str, str]]:
    elements = block.get("elements")
    if not isinstance(elements, list) or not elements:
        return [("/elements", "missing required field: elements")]
    if len(_objects(elements)) != len(cast("list[Any]", elements)):
        return [("/elements", "must be objects")]
    if len(cast("list[Any]", elements)) > most:
        return [("/elements", f"no more than {most} items allowed")]
    return []


def _elements(block: Json) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    for index, element in enumerate(_objects(block.get("elements"))):
        found += _element(f"/elements/{index}", element)
        action_id = str(element.get("action_id", index))
        if action_id in seen:
            found.append((f"/elements/{index}/action_id", f"`{action_id}` already exists"))
        seen.add(action_id)
    return found


def _element(pointer: str, element: Json) -> list[tuple[str, str]]:
    found = _too_long(f"{pointer}/action_id", element.get("action_id", ""), ID_LENGTH)
    if element.get("type") == "button":
        found += _text_object(f"{pointer}/text", element.get("text"), BUTTON_TEXT)
        found += _too_long(f"{pointer}/value", element.get("value", ""), BUTTON_VALUE)
        found += _too_long(f"{pointer}/url", element.get("url", ""), BUTTON_URL)
    return found


def _text_object(pointer: str, text: Any, most: int) -> list[tuple[str, str]]:
    if not isinstance(text, dict) or not isinstance(text.get("text"), str):
        return [(pointer, "missing required field: text")]
    value = str(text["text"])
    if not value:
        return [(f"{pointer}/text", "must be more than 0 characters")]
    return _too_long(f"{pointer}/text", value, most)


def _too_long(pointer: str, value: Any, most: int) -> list[tuple[str, str]]:
    if not isinstance(value, str):
        return [(pointer, "must be a string")]
    if len(value) > most:
        return [(pointer, f"must be less than {most + 1} characters")]
    return []


def _text_length(node: Any) -> int:
    if isinstance(node, list):
        return sum(_text_length(item) for item in cast("list[Any]", node))
    if not isinstance(node, dict):
        return 0
    total = 0
    for key, value in cast("Json", node).items():
        total += len(value) if key == "text" and isinstance(value, str) else _text_length(value)
    return total
