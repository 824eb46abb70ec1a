"""Outcome → what Slack shows: a short fallback text and Block Kit blocks. Pure.

Every text passes through `bot.mrkdwn`. Limits are Slack's: 50 blocks a message, 3,000 characters
a section, 12,000 in all `markdown` blocks.
"""

from bot.replies.blocks import Block, Reply
from bot.replies.outcomes import removed_note, render, render_question
from bot.replies.pointer import STOP, render_pointer

__all__ = ["STOP", "Block", "Reply", "removed_note", "render", "render_pointer", "render_question"]
