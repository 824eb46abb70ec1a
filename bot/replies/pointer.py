"""What a reply shows while its answer is being made, or waits for a restart. Pure."""

from collections.abc import Sequence

from bot.replies.blocks import Reply, actions, button, section
from bot.replies.ids import STOP
from bot.replies.sources import line
from retrieval.documents import Passage

__all__ = ["render_interrupted", "render_pointer"]

_SHOWN = 4


def render_pointer(turn: str, found: Sequence[Passage]) -> Reply:
    """Return the message that shows the passages being read, and stops the turn on a click."""
    titles = dict.fromkeys(line(each) for each in found[:_SHOWN])
    text = "Reading these…" if titles else "Nothing near so far; searching in other words…"
    lines = [f"*{text}*", *(f"• {each}" for each in titles)]
    return Reply(text, [section("\n".join(lines)), actions(button("Stop", STOP, turn))])


def render_interrupted(turn: str) -> Reply:
    """Return the line that stands there until the turn is taken up again; a click stops it."""
    text = "I'm being restarted. The answer comes here as soon as I'm back."
    return Reply(text, [section(text), actions(button("Stop", STOP, turn))])
