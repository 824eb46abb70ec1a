"""Home: how the bot listens in the channels that somebody is in. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from bot.channel_settings import DEFAULTS, ChannelSettings
from bot.filters import written
from bot.mrkdwn import cut, escape

__all__ = ["channels_section"]

type Block = dict[str, Any]

_MOST: Final = 20
_MODES: Final = {
    "mention": "mentions only",
    "follow": "follows threads",
    "all": "answers every question",
}
_DEFAULT: Final = (
    "I answer mentions and follow their threads; alerts are not watched."
    " `/footnote settings` in a channel changes that there."
)


def channels_section(channels: Mapping[str, ChannelSettings]) -> list[Block]:
    """Return what was set for channels, by their ids; those left as they were aren't named."""
    changed = {name: each for name, each in channels.items() if each != DEFAULTS}
    lines = [f"<#{name}>: {_told(each)}" for name, each in list(changed.items())[:_MOST]]
    if len(changed) > _MOST:
        lines.append(f"… and {len(changed) - _MOST} more.")
    lines.append(f"Elsewhere: {_DEFAULT}" if lines else _DEFAULT)
    return [
        {"type": "header", "text": {"type": "plain_text", "text": "Channels", "emoji": False}},
        {"type": "section", "text": {"type": "mrkdwn", "text": cut("\n".join(lines), 2_900)}},
    ]


def _told(settings: ChannelSettings) -> str:
    parts = [_MODES[settings.mode]]
    if settings.alert_watch:
        parts.append("alert watch on")
    if settings.bots:
        parts.append(f"bots that may ask: {len(settings.bots)}")
    if held := written(settings.services, settings.doc_types):
        parts.append(f"searches `{escape(held)}`")
    if settings.ingest != "default":
        parts.append(f"documents added by {settings.ingest}")
    return " · ".join(parts)
