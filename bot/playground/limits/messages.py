"""The limits of messages."""

from collections.abc import Sequence

from bot.playground.errors import ApiError
from bot.playground.limits.blocks import check_blocks, text_length
from bot.playground.wire import Json

TEXT = 40_000
ALL_TEXT = 13_200
"""Of all blocks together."""
UPDATE_TEXT = 4_000
MESSAGE_TEXT = 4_000
"""Where Slack cuts a longer text without blocks into several messages."""
MOST_BLOCKS = 50
MOST_ATTACHMENTS = 100
METADATA_BYTES = 16_000


def check_message(
    text: str, blocks: Sequence[Json], attachments: Sequence[Json], *, update: bool
) -> None:
    """Refuse what Slack refuses: no content, too long a text, malformed or too large blocks.

    Raises:
        ApiError: `no_text`, `msg_too_long`, `too_many_attachments`, `invalid_blocks`,
            `msg_blocks_too_long`.
    """
    if not text and not blocks and not attachments:
        raise ApiError("no_text")
    if len(text) > (UPDATE_TEXT if update else TEXT):
        raise ApiError("msg_too_long")
    if len(attachments) > MOST_ATTACHMENTS:
        raise ApiError("too_many_attachments")
    check_blocks(blocks, MOST_BLOCKS)
    if sum(text_length(block) for block in blocks) > ALL_TEXT:
        raise ApiError("msg_blocks_too_long")


def check_metadata(metadata: Json | None) -> None:
    """Refuse metadata without an event_type or an event_payload, or too large.

    Raises:
        ApiError: `invalid_metadata_format`, `metadata_too_large`.
    """
    if metadata is None or metadata == {}:
        return
    if not isinstance(metadata.get("event_type"), str) or not isinstance(
        metadata.get("event_payload"), dict
    ):
        raise ApiError("invalid_metadata_format")
    if len(str(metadata["event_payload"])) > METADATA_BYTES:
        raise ApiError("metadata_too_large")


def parts(text: str) -> list[str]:
    """The messages that a text without blocks becomes: no longer than 4,000 characters each."""
    return [text[at : at + MESSAGE_TEXT] for at in range(0, len(text), MESSAGE_TEXT)] or [text]
