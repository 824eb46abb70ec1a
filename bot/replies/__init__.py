"""Outcome → what Slack shows: a short fallback text and Block Kit blocks. Pure.

Every text passes through `bot.mrkdwn`. Limits are Slack's: 50 blocks a message, 3,000 characters
a section, 12,000 in all `markdown` blocks.
"""

from bot.replies.around import NOTHING, Around
from bot.replies.blocks import Block, Reply
from bot.replies.forms import forms
from bot.replies.outcomes import render, render_question
from bot.replies.parts import messages
from bot.replies.pointer import render_interrupted, render_pointer
from bot.replies.searching import removed_note

__all__ = [
    "NOTHING",
    "Around",
    "Block",
    "Reply",
    "forms",
    "messages",
    "removed_note",
    "render",
    "render_interrupted",
    "render_pointer",
    "render_question",
]
