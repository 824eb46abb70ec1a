"""`/footnote documents`: what may be found in a channel, page by page, with its buttons. Pure."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from bot.knowledge.requests import Listed
from bot.mrkdwn import cut, escape, link, moment, one_line
from bot.replies.blocks import Block, Reply, actions, button, context, plain_text, section

__all__ = ["DELETE", "PAGE", "PER_PAGE", "REFRESH", "Spot", "no_refresh", "render_documents"]

PAGE: Final = "footnote:documents:page"
REFRESH: Final = "footnote:documents:refresh"
DELETE: Final = "footnote:documents:delete"
"""The ids of the buttons; the value of each is a `Spot`."""

PER_PAGE: Final = 10

_WORDS: Final = 80
_MOST_PAGES: Final = 100_000  # a forged number must fit into an OFFSET


@dataclass(frozen=True, slots=True)
class Spot:
    """A page of the documents that have some words in their title, service or type; or one of it.

    As the value of a button it brings the click back to where it was.
    """

    page: int = 0
    words: str = ""
    document: str = ""

    @classmethod
    def of(cls, value: str) -> "Spot":
        """Return the spot that a button of ours carries, the first page for anything else."""
        try:
            held: Any = json.loads(value)
        except ValueError:
            return cls()
        if not isinstance(held, dict):
            return cls()
        told = cast("Mapping[str, Any]", held)
        page = told.get("page")
        return cls(
            page=page if isinstance(page, int) and 0 <= page < _MOST_PAGES else 0,
            words=str(told.get("words") or "")[:_WORDS],
            document=str(told.get("document") or ""),
        )

    def __str__(self) -> str:
        """Return it as the value of a button."""
        return json.dumps({"page": self.page, "words": self.words, "document": self.document})


def render_documents(
    listed: Sequence[Listed], spot: Spot, deletable: Collection[str], told: str = ""
) -> Reply:
    """Return the list.

    Args:
        listed: the documents of the page, and one more when there are further pages.
        spot: which page it is.
        deletable: the ids of those that whoever looks may delete.
        told: a sentence on what was just done, safe already.
    """
    words = f" with “{escape(spot.words)}”" if spot.words else ""
    said = [context(told)] if told else []
    if not listed:
        more = "no more" if spot.page else "no"
        none = f"There are {more} documents{words} here."
        return Reply(none, [*said, section(none), *_pages(spot, more=False)])
    shown = listed[:PER_PAGE]
    first = spot.page * PER_PAGE + 1
    head = f"Documents that are searched here{words}, the latest first: {first} to"
    head += f" {first + len(shown) - 1}"
    blocks = [*said, section(f"*{head}*")]
    for each in shown:
        blocks += _document(each, spot, may_delete=each.id in deletable)
    return Reply(f"{head}.", [*blocks, *_pages(spot, more=len(listed) > PER_PAGE)])


def no_refresh(document: Listed) -> str | None:
    """Return how else to renew a document that has no address to fetch it from; None: it has."""
    title = one_line(document.title, 100)
    match document.kind:
        case "url":
            return None
        case "file":
            return (
                f"“{title}” came in as a file, so I can't fetch it again. Drop its new version"
                " here, under the same name and with the word “ingest”: it replaces this one."
            )
        case "thread":
            return (
                f"“{title}” was made of a thread. Use *Save thread as document* there again: it"
                " replaces this one."
            )
        case None:
            return (
                f"“{title}” was ingested by whoever runs me: `footnote ingest` with its new version"
                " replaces it."
            )


def _document(each: Listed, spot: Spot, *, may_delete: bool) -> list[Block]:
    title = f"*{link(each.link, one_line(each.title, 100))}*"
    count = "1 chunk" if each.chunks == 1 else f"{each.chunks} chunks"
    facts = [one_line(each.service, 60), one_line(each.doc_type, 60), count]
    by = f"ingested by <@{each.author}>" if each.author else "ingested by whoever runs me"
    facts += [f"changed {moment(each.updated_at)}", by]
    if each.audience:
        facts.append("seen only in this channel")
    value = str(Spot(spot.page, spot.words, each.id))
    row = [button("How to renew" if no_refresh(each) else "Refresh", REFRESH, value)]
    if may_delete:
        confirm = {
            "title": plain_text("Delete this document?"),
            "text": plain_text(f"“{cut(each.title, 100)}” will no longer be found or cited."),
            "confirm": plain_text("Delete"),
            "deny": plain_text("Keep"),
            "style": "danger",
        }
        row.append(button("Delete", DELETE, value, style="danger", confirm=confirm))
    return [section(f"{title}\n{' · '.join(facts)}"), actions(*row)]


def _pages(spot: Spot, *, more: bool) -> list[Block]:
    row: list[Block] = []
    if spot.page:
        row.append(button("Newer", f"{PAGE}:newer", str(Spot(spot.page - 1, spot.words))))
    if more:
        row.append(button("Older", f"{PAGE}:older", str(Spot(spot.page + 1, spot.words))))
    return [actions(*row)] if row else []
