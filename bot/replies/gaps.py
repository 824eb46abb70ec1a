"""The gaps, as `/footnote gaps` and the Home tab list them. Pure."""

from collections.abc import Sequence

from bot.gaps import DAYS, Gap
from bot.mrkdwn import one_line
from bot.replies.blocks import Block, context, section

__all__ = ["render_gaps"]

_SHOWN = 10


def render_gaps(gaps: Sequence[Gap]) -> list[Block]:
    """Return the blocks that list what was asked and not answered, the most asked first."""
    if not gaps:
        return [section(f"*Gaps.* Nothing was left unanswered in the last {DAYS} days.")]
    lines = [f"*Gaps.* Asked in the last {DAYS} days and not answered, or not well:"]
    lines += [_line(gap) for gap in gaps[:_SHOWN]]
    more = [context(f"… and {len(gaps) - _SHOWN} more.")] if len(gaps) > _SHOWN else []
    return [section("\n".join(lines)), *more]


def _line(gap: Gap) -> str:
    counts = [f"asked {len(gap.asked)}×" if len(gap.asked) > 1 else "asked once"]
    if gap.unhelpful:
        counts.append(f"{gap.unhelpful} 👎")
    return f"• {one_line(gap.question, 150)} — {', '.join(counts)}"
