"""A reply in ever plainer forms, for when Slack refuses one: it is shown all the same. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from bot import code
from bot.mrkdwn import cut, escape
from bot.replies.blocks import Block, Reply, actions, button, section
from bot.replies.parts import split_markdown

__all__ = ["forms"]

_SECTION = 2_800  # characters
_SHORT = 500  # characters of a reply in its last form
_BLOCKS = 50
_LINKED = re.compile(r"\[\[(\d{1,3})\]\([^)]*\)\]")


def forms(reply: Reply) -> Iterator[dict[str, Any]]:
    """Give the arguments of a post, the best form first.

    All of it; without the newest kinds of blocks; paragraphs alone; text; a short text.
    """
    yield {"text": reply.text, "blocks": reply.blocks}
    plain = [_plain(each) for each in reply.blocks]
    if plain != reply.blocks:
        yield {"text": reply.text, "blocks": plain}
    paragraphs = [part for each in reply.blocks for part in _paragraphs(each)][:_BLOCKS]
    if paragraphs and paragraphs != reply.blocks:
        yield {"text": reply.text, "blocks": paragraphs}
    yield {"text": reply.text}
    yield {"text": cut(reply.text, _SHORT)}


def _plain(block: Block) -> Block:
    """Return two buttons instead of Slack's own for feedback."""
    if block["type"] != "context_actions":
        return block
    (feedback,) = block["elements"]
    votes = [(feedback["positive_button"], "👍"), (feedback["negative_button"], "👎")]
    return actions(*(_vote(sign, feedback["action_id"], each["value"]) for each, sign in votes))


def _vote(sign: str, action_id: str, value: str) -> Block:
    return button(sign, f"{action_id}:{value.rpartition(':')[2]}", value)


def _paragraphs(block: Block) -> list[Block]:
    """Return a block's text as paragraphs of mrkdwn, in which a table is its source."""
    match block["type"]:
        case "markdown":
            return [section(part) for part in split_markdown(_mrkdwn(block["text"]), _SECTION)]
        case "section":
            return [{"type": "section", "text": block["text"]}]
        case "context":
            return [section("\n".join(each["text"] for each in block["elements"]))]
        case _:
            return []


def _mrkdwn(markdown: str) -> str:
    """Return Markdown as it reads without its links, code escaped as the rest is."""
    return "\n".join(
        escape(line) if is_code else _LINKED.sub(r"[\1]", line)
        for line, is_code in code.lines(markdown)
    )
