"""The limits Slack puts on what an app sends, with its error names.

Source: the Block Kit reference and each method's list of errors. The total of all text in blocks
is a third party's measurement.
"""

from bot.playground.limits.blocks import check_blocks
from bot.playground.limits.messages import check_message, check_metadata, parts
from bot.playground.limits.views import check_options, check_view

__all__ = [
    "check_blocks",
    "check_message",
    "check_metadata",
    "check_options",
    "check_view",
    "parts",
]
