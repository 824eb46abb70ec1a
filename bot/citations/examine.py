"""Each claim beside the chunks it cites: its marks, and code as the chunks have it. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from bot import code
from bot.citations.claims import Claim, Part
from bot.citations.commands import (
    Original,
    block_lines,
    destroys,
    destroys_in_prose,
    span_content,
)
from bot.citations.markers import group, ids_in, without_groups
from bot.citations.marks import LEFT_OUT, Mark, MarkKind
from bot.citations.sentences import tells_nothing
from bot.citations.sources import Sources
from bot.citations.support import Ground, support

__all__ = ["examined"]


def examined(
    parts: Sequence[Part], claims: Sequence[Claim], sources: Sources
) -> tuple[list[Part], list[Claim]]:
    """Return the parts with code as the chunks have it, and the claims with their marks.

    A destructive command that no cited chunk has is taken out, wherever it stands: in a claim, a
    heading, a lead-in or a question.
    """

    @cache
    def original(ids: tuple[str, ...]) -> Original:
        return Original.of(each.text for name in ids if (each := sources.get(name)))

    @cache
    def ground(ids: tuple[str, ...]) -> Ground:
        return Ground.of(each for name in ids if (each := sources.get(name)))

    marks: list[list[Mark]] = [[] for _ in claims]
    shown: list[Part] = []
    for part in parts:
        ids = claims[part.claim].ids if part.claim is not None else ()
        text, found = _looked_at(part, original(ids), cited=bool(ids))
        shown.append(replace(part, text=text))
        if part.claim is not None:
            marks[part.claim] += found
            if ids and part.kind != "code" and not tells_nothing(part.text):
                marks[part.claim] += support(part.text, ground(ids))
    return shown, [
        replace(claim, marks=_merged(found)) for claim, found in zip(claims, marks, strict=True)
    ]


def _merged(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return one mark of each kind, with the details of all."""
    details: dict[MarkKind, list[str]] = {}
    for each in marks:
        details.setdefault(each.kind, []).extend(each.details)
    return tuple(Mark(kind, tuple(dict.fromkeys(found))) for kind, found in details.items())


def _looked_at(part: Part, original: Original, *, cited: bool) -> tuple[str, list[Mark]]:
    if part.kind == "code":
        return _block(part, original, cited=cited)
    if part.kind in {"space", "rule", "mark", "markers"}:
        return part.text, []
    return _prose(part.text, original, cited=cited)


def _block(part: Part, original: Original, *, cited: bool) -> tuple[str, list[Mark]]:
    lines = block_lines(part.text)
    destructive = destroys("\n".join(lines))
    found = [original.line(line, whole=destructive) for line in lines]
    if None not in found:
        marks = [Mark("destructive")] if destructive else []
        head, *rest = part.text.split("\n")
        return "\n".join([head, *map(str, found), *rest[len(lines) :]]), marks
    if destructive:
        return f"{' ' * max(part.depth, 0)}{LEFT_OUT}\n", [Mark("left_out")]
    return part.text, [Mark("not_in_runbook")] if cited else []


def _prose(text: str, original: Original, *, cited: bool) -> tuple[str, list[Mark]]:
    marks: list[Mark] = []
    pieces: list[str] = []
    done = 0
    for start, end in code.spans(text):
        content = span_content(text[start:end])
        destructive = destroys(content)
        found = original.span(content, whole=destructive)
        shown = text[start:end]
        if found is None and destructive:
            shown = LEFT_OUT
            marks.append(Mark("left_out"))
        elif found is None:
            marks += [Mark("not_in_runbook", (content,))] if cited else []
        elif destructive:
            marks.append(Mark("destructive"))
        if found is not None and found != content:
            shown = f"`{found}`" if "`" not in found else shown
        pieces += [text[done:start], shown]
        done = end
    said = "".join([*pieces, text[done:]])
    typed = destroys_in_prose(without_groups(text))
    if not typed:
        return said, marks
    if original.span(typed, whole=False) is not None:
        return said, [*marks, Mark("destructive")]
    return _replaced(text), [Mark("left_out")]


def _replaced(text: str) -> str:
    """Return what stands in place of a sentence with an invented command: its markers stay."""
    space = text[len(text.rstrip()) :]
    ids = ids_in(text)
    return f"{LEFT_OUT} {group(ids)}{space}" if ids else LEFT_OUT + space
