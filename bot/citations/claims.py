"""Claims of an answer: its parts, and which of them need a marker. Pure.

- A sentence of a paragraph is a claim and needs a marker of its own; one marker at the end of a
  paragraph covers its last sentence only.
- A list item is one claim, and its marker may stand anywhere up to its end, as long as it has no
  more than three sentences; what follows its last marker is a claim of its own. A longer item is
  read like a paragraph. A table's row is one claim.
- A code block belongs to the sentence that leads into it, or that stands right before it; without
  one (after a heading, at the start) it is a claim of its own. A marker after it is its marker.
- Headings, labels, rules, table headers, lead-ins and what `bot.citations.sentences` calls idle
  claim nothing, unless they carry a marker or lead into code.
- Lists of sources and definitions of footnotes are taken out: the reply shows the sources itself.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.citations.blocks import Block, blocks
from bot.citations.markers import GROUP, ids_in, normal, without_groups
from bot.citations.marks import Mark
from bot.citations.sentences import bare, is_idle, is_lead, sentences

__all__ = ["Claim", "Part", "PartKind", "read"]

type PartKind = Literal[
    "space", "mark", "heading", "rule", "header", "idle", "lead", "claim", "markers", "code"
]

_ONE_CLAIM = 3  # sentences of an item that one marker may cover
_LABEL_WORDS = 8
_LABEL = re.compile(r"\s*(?:\*\*|__)[^*_`\n.!?]{1,80}(?:\*\*|__):?\s*")
_SOURCES = re.compile(
    r"(?:cited |relevant )?(?:sources?|references?|citations?|footnotes?)(?: cited| used)?"
    r"\s*[:：]?",
    re.IGNORECASE,
)
_DEFINES = re.compile(rf"\s*{GROUP.pattern}\s*[:：]\s*\S")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an answer, markers as groups; `claim` is the number of the claim it belongs to.

    `depth` is the indentation of the list item it stands in, -1 outside lists.
    """

    kind: PartKind
    text: str
    claim: int | None = None
    depth: int = -1


@dataclass(frozen=True, slots=True)
class Claim:
    """What an answer says: its words without markers, the ids it cites, its code blocks."""

    text: str
    ids: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = field(default=(), kw_only=True)

    @property
    def uncited(self) -> bool:
        """Whether it carries no id of this turn."""
        return not self.ids


def read(
    answer: str, known: Callable[[str], str | None]
) -> tuple[list[Part], list[Claim], list[str]]:
    """Return an answer's parts, its claims, and the ids in its markers that no passage has."""
    unknown: list[str] = []
    found = [
        each if each.kind == "code" else replace(each, text=normal(each.text, known, unknown))
        for each in blocks(answer)
    ]
    reader = _Reader()
    kept = _without_sources(found)
    for number, block in enumerate(kept):
        reader.take(block, leads_on=_leads_on(kept, number))
    return reader.parts, reader.claims, unknown


def _without_sources(found: list[Block]) -> list[Block]:
    """Leave out definitions of footnotes, and lists of sources with what announces them."""
    kept: list[Block] = []
    held: list[Block] = []  # the announcement, and the space after it
    listing = False
    for block in found:
        text = block.text
        cites = GROUP.match(text.lstrip()) is not None
        if block.kind in {"text", "item"} and (
            _DEFINES.match(text)
            or (cites and (listing or held))
            or (block.mark and cites and not bare(text))
            or (ids_in(text) and _alone(kept) and _SOURCES.fullmatch(bare(text).rstrip(" ,;")))
        ):
            listing = listing or bool(held)
            held.clear()
            continue
        if block.kind == "blank" and (held or listing):
            held.append(block)
            continue
        kept += held
        held.clear()
        listing = False
        if block.kind in {"text", "heading", "item"} and _SOURCES.fullmatch(bare(text)):
            held.append(block)
        else:
            kept.append(block)
    return kept + held


def _alone(kept: list[Block]) -> bool:
    return not kept or kept[-1].kind == "blank"


def _leads_on(found: list[Block], number: int) -> bool:
    """Tell whether something follows that a label may be the label of."""
    block = found[number]
    for later in found[number + 1 :]:
        if later.kind != "blank":
            deeper = later.depth > block.depth or later.kind == "code"
            return deeper if block.mark else later.kind not in {"heading", "rule"}
    return False


class _Reader:
    """Takes an answer block by block."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.claims: list[Claim] = []
        self._near: int | None = None  # the part that code or a lone marker may belong to

    def take(self, block: Block, *, leads_on: bool) -> None:
        """Take the next block."""
        match block.kind:
            case "blank":
                self.parts.append(Part("space", block.text))
            case "rule" | "header":
                self._near = None
                self.parts.append(Part(block.kind, block.text))
            case "heading":
                self._near = None
                self._add("heading", block.text, -1, claims=bool(ids_in(block.text)))
                self._near = None
            case "code":
                self._code(block)
            case "row":
                empty = not any(char.isalnum() for char in bare(block.text))
                self._add("idle" if empty else "claim", block.text, -1, claims=not empty)
                self._near = None
            case "item" | "text":
                self._prose(block, leads_on=leads_on)

    def _prose(self, block: Block, *, leads_on: bool) -> None:
        if block.mark:
            self.parts.append(Part("mark", block.mark, depth=block.depth))
        label = _LABEL.fullmatch(block.text) and len(bare(block.text).split()) <= _LABEL_WORDS
        if label and leads_on:
            self._add("lead", block.text, block.depth, claims=bool(ids_in(block.text)))
            return
        for text in _joined(sentences(block.text)) if block.mark else sentences(block.text):
            if not any(char.isalnum() for char in bare(text)):
                self._markers(text, block.depth)
            elif is_lead(text):
                self._add("lead", text, block.depth, claims=bool(ids_in(text)))
            else:
                claims = bool(ids_in(text)) or not is_idle(text)
                self._add("claim" if claims else "idle", text, block.depth, claims=claims)

    def _add(self, kind: PartKind, text: str, depth: int, *, claims: bool) -> None:
        self._near = len(self.parts)
        if claims:
            self.claims.append(Claim(_words(text), ids_in(text)))
        self.parts.append(Part(kind, text, len(self.claims) - 1 if claims else None, depth))

    def _owner(self) -> int | None:
        """Return the claim of the part nearby; a lead-in becomes one when code needs it."""
        if self._near is None:
            return None
        part = self.parts[self._near]
        if part.claim is None:
            self.claims.append(Claim(_words(part.text)))
            part = replace(part, claim=len(self.claims) - 1)
            self.parts[self._near] = part
        return part.claim

    def _code(self, block: Block) -> None:
        owner = self._owner()
        if owner is None:
            first = next((line for line in block.text.split("\n")[1:] if line.strip()), "")
            self._near = len(self.parts)
            self.claims.append(Claim(first.strip(), (), (block.text,)))
            self.parts.append(Part("code", block.text, len(self.claims) - 1, block.depth))
            return
        claim = self.claims[owner]
        self.claims[owner] = replace(claim, code=(*claim.code, block.text))
        self.parts.append(Part("code", block.text, owner, block.depth))

    def _markers(self, text: str, depth: int) -> None:
        """Give markers that stand alone to the claim before them; without one they are nothing."""
        ids = ids_in(text)
        if not ids:
            self.parts.append(Part("idle", text, None, depth))
            return
        if self._near is None:
            return
        owner = self._owner()
        if owner is None:
            return
        claim = self.claims[owner]
        self.claims[owner] = replace(claim, ids=tuple(dict.fromkeys((*claim.ids, *ids))))
        self.parts.append(Part("markers", text, owner, depth))


def _words(text: str) -> str:
    return re.sub(r" (?=[.,;:!?](?: |$))", "", " ".join(without_groups(text).split()))


def _joined(found: list[str]) -> list[str]:
    """Join the sentences of an item up to a marker, when they are few enough for one claim."""
    if len(found) > _ONE_CLAIM:
        return found
    joined: list[str] = []
    open_ = False  # whether the last of them waits for a marker
    for text in found:
        plain = not is_idle(text) and not is_lead(text)
        if open_ and (plain or ids_in(text)):
            joined[-1] += text
        else:
            joined.append(text)
        open_ = plain and not ids_in(text)
    return joined
