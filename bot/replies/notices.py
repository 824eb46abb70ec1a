"""What others are told of a question: the on-call, the owners of a service. Pure."""

from collections.abc import Sequence
from typing import Literal

from bot.mrkdwn import cut, escape, link
from bot.replies.blocks import Reply, context, section

__all__ = ["REASONS", "render_notice", "render_same_alert"]

REASONS = {
    "wrong": "It is wrong",
    "outdated": "It is out of date",
    "incomplete": "Something is missing",
    "beside": "It isn't what I asked",
}
_HEADS = {
    "no_match": "Nothing in the runbooks answers this, asked in",
    "unhelpful": "Somebody says that an answer didn't help, in",
}


def render_notice(  # noqa: PLR0913, PLR0917  # what there is to tell
    kind: Literal["oncall", "no_match", "unhelpful"],
    target: str,
    person: str | None,
    channel: str,
    question: str,
    address: str | None,
    said: Sequence[tuple[str | None, str]] = (),
) -> Reply:
    """Return the message.

    Args:
        kind: what is told.
        target: where: a channel; or whom to call, a user group or a person.
        person: who wants it told.
        channel: where it was asked.
        question: what was asked.
        address: the question's own, when this is posted in another channel.
        said: reasons and corrections that people gave.
    """
    asked = escape(cut(question, 1_000)).replace("\n", "\n> ")
    if kind == "oncall":
        head = f"{_call(target)}<@{person}> asks for your help in <#{channel}>:"
        text = "Somebody asks the on-call for help."
    else:
        head = f"{_HEADS[kind]} <#{channel}>:"
        text = head.partition("<#")[0].strip().rstrip(",") + "."
    lines = [head, f"> {asked}"]
    for reason, correction in said[:3]:
        parts = [REASONS.get(reason or "", ""), escape(cut(correction, 500))]
        lines.append("• " + ": ".join(part for part in parts if part).replace("\n", " "))
    blocks = [section("\n".join(lines))]
    if address:
        blocks.append(context(link(address, "Go to the question")))
    # What calls people has to stand in the text, too: it is what notifies them.
    return Reply(f"{_call(target)}{text}" if kind == "oncall" else text, blocks)


def _call(target: str) -> str:
    """Return what calls a group or a person; a channel isn't called."""
    if target.startswith("S"):
        return f"<!subteam^{target}> "
    return f"<@{target}> " if target.startswith(("U", "W")) else ""


def render_same_alert(address: str, seconds: float) -> Reply:
    """Return the line below an alert that was answered in another thread so long ago."""
    minutes = max(round(seconds / 60), 1)
    ago = "a minute ago" if minutes == 1 else f"{minutes} minutes ago"
    text = f"The same alert as {link(address, ago)}: what the runbooks say stands in its thread."
    return Reply(f"The same alert as {ago}, answered in its thread.", [section(text)])
