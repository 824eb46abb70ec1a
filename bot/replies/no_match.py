"""The reply when nothing answers: what was searched, what is near, and what to do next. Pure."""

from bot.mrkdwn import escape, link, one_line
from bot.outcome import Outcome
from bot.replies.around import Around
from bot.replies.blocks import Reply, context, section
from bot.replies.buttons import below_no_match, below_unknown
from bot.replies.searching import notes, searched
from retrieval.documents import Near
from retrieval.names import names_in

__all__ = ["render_no_match"]

_HINT = (
    "Ask me a question, such as an alert's name or an error text, and I'll look in the runbooks."
    " Add `service:NAME` or `type:NAME` to narrow the search."
)
# How far, in largest distances that still count as a match, and how that is said.
_FAR = ((0.9, "close, but no answer"), (1.3, "not close"))
_FARTHEST = "far off"


def render_no_match(outcome: Outcome, around: Around) -> Reply:
    """Return the reply; without a search there was no question, and a hint is given."""
    if not outcome.searched:
        hint = escape(" ".join(outcome.notes)) or _HINT
        return Reply(hint, [section(hint), *below_unknown(outcome, around)])
    lines = ["*No match.* Nothing in the runbooks answers this."]
    lines.append("Searched: " + "; ".join(searched(each) for each in outcome.searched))
    blocks = [section("\n".join(lines))]
    if outcome.nearest:
        near = "\n".join(f"• {_near(each, outcome.max_distance)}" for each in outcome.nearest[:3])
        blocks.append(section(f"Nearest titles, none of them an answer:\n{near}"))
    titles = ", ".join(one_line(each.title) for each in outcome.nearest[:3])
    text = "No match: nothing in the runbooks answers this."
    if titles:
        text += f" Nearest titles: {titles}."
    below = below_no_match(outcome, around)
    blocks.append(context(_next_step(outcome.searched[0].query)))
    return Reply(text, [*blocks, *notes(outcome), *below])


def _next_step(question: str) -> str:
    """Whoever gave a name or a code needn't be told to."""
    worth = "If nobody has written it down yet, this is a runbook worth writing."
    return worth if names_in(question) else f"Try the alert's name or the exact error text. {worth}"


def _near(near: Near, most: float | None) -> str:
    parts = [link(near.link, one_line(near.title, 100)), one_line(near.service, 60)]
    if near.distance is not None and most:
        beyond = near.distance / most
        parts.append(next((words for limit, words in _FAR if beyond <= limit), _FARTHEST))
    return " · ".join(parts)
