"""Home: what there is to search, and what came in last. Pure."""

from collections.abc import Sequence
from typing import Any, Final

from bot.mrkdwn import cut, link, moment, one_line
from retrieval.shelf import Kind, Latest

__all__ = ["documents_section", "latest_section"]

type Block = dict[str, Any]

_MOST: Final = 25
_HOW: Final = "There are no documents that you may see yet. `/footnote help` says what I do."


def documents_section(kinds: Sequence[Kind]) -> list[Block]:
    """Return the services with their types and how many documents each has."""
    services: dict[str, list[str]] = {}
    for each in kinds:
        services.setdefault(each.service, []).append(
            f"{one_line(each.doc_type, 60)} {each.documents}"
        )
    lines = [f"*{one_line(name, 60)}*: {', '.join(types)}" for name, types in services.items()]
    shown = lines[:_MOST]
    if len(lines) > _MOST:
        shown.append(f"… and {len(lines) - _MOST} more services.")
    return [_header("Documents"), _section("\n".join(shown) or _HOW)]


def latest_section(latest: Sequence[Latest]) -> list[Block]:
    """Return the documents that came in or changed last; nothing where there are none."""
    if not latest:
        return []
    lines = [
        f"• {link(each.link, one_line(each.title, 100))} · {one_line(each.service, 60)}"
        f" · {one_line(each.doc_type, 60)} · {moment(each.updated_at)}"
        f"{f' · only in <#{each.audience}>' if each.audience else ''}"
        for each in latest
    ]
    return [_header("Latest"), _section("\n".join(lines))]


def _header(text: str) -> Block:
    return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": cut(text, 2_900)}}
