"""What follows from a verdict: the correction, the answer without what is uncited. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from bot.citations.claims import Part
from bot.citations.verdict import Verdict, verdict_of
from bot.mrkdwn import cut

__all__ = ["correction", "without_uncited"]

_QUOTED = 8  # claims named in a correction
_LONGEST_QUOTE = 160
_IDS = 40
_LONGEST_ID = 12

_EMPTY = frozenset({"space", "rule"})


def correction(verdict: Verdict) -> str:
    """Return the message that tells the answerer exactly what is wrong, in 3,000 characters."""
    lines = ["That answer can't be shown, because not every claim in it cites a passage."]
    uncited = verdict.uncited
    if not verdict.claims:
        lines.append("It claims nothing: there is no sentence that answers the question.")
    if uncited:
        lines.append("These claims carry no valid id:")
        lines += [f"- “{cut(each.text, _LONGEST_QUOTE)}”" for each in uncited[:_QUOTED]]
        if len(uncited) > _QUOTED:
            lines.append(f"- and {len(uncited) - _QUOTED} more")
    if verdict.unknown:
        lines.append(f"No passage has these ids: {_listed(verdict.unknown)}.")
    lines.append(f"Valid ids: {_listed(verdict.valid) or 'none'}.")
    example = f"[{verdict.valid[0]}]" if verdict.valid else "the id"
    lines.append(
        f"Write the answer again. Put the id of the passage that says so, such as {example}, at the"
        " end of each sentence, list item and table row, and leave out what no passage says."
        " If the passages don't answer the question, reply with NO_MATCH only."
    )
    return "\n".join(lines)


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _IDS} more" if len(ids) > _IDS else ""
    return ", ".join(cut(each, _LONGEST_ID) for each in ids[:_IDS]) + more


def without_uncited(verdict: Verdict) -> tuple[Verdict, int]:
    """Return the verdict on what remains of an answer without its uncited claims, and their number.

    A claim goes as a whole, with its code; so do lead-ins, labels, headings and table headers
    that nothing follows any more. The footnotes are numbered anew.
    """
    removed = len(verdict.uncited)
    if not removed:
        return verdict, 0
    gone = {number for number, each in enumerate(verdict.claims) if each.uncited}
    kept = [part.claim not in gone for part in verdict.parts]
    for place in range(len(kept) - 1, -1, -1):
        if kept[place] and not _holds(verdict.parts, kept, place):
            kept[place] = False
    numbers = {
        old: new for new, old in enumerate(n for n in range(len(verdict.claims)) if n not in gone)
    }
    parts = [
        replace(part, claim=None if part.claim is None else numbers[part.claim])
        for part, keep in zip(verdict.parts, kept, strict=True)
        if keep
    ]
    claims = [verdict.claims[old] for old in numbers]
    return verdict_of(_tidied(parts), claims, verdict.unknown, verdict.valid), removed


def _holds(parts: Sequence[Part], kept: Sequence[bool], place: int) -> bool:
    """Tell whether a part still has what it was there for; only what leads on can lose it."""
    part = parts[place]
    if part.claim is not None or part.kind not in {"mark", "heading", "header", "lead"}:
        return True
    below = _below(parts, place)
    return any(kept[each] for each in below) or (part.kind == "lead" and not below)


def _below(parts: Sequence[Part], place: int) -> list[int]:
    """Return the parts that a mark, heading, header or lead-in is there for."""
    part = parts[place]
    found: list[int] = []
    for number in range(place + 1, len(parts)):
        later = parts[number]
        if later.kind in _EMPTY or part.kind == later.kind == "header":
            continue
        if part.kind == "mark" and (later.kind in {"mark", "heading"} or later.depth < part.depth):
            break
        if part.kind == "heading" and later.kind == "heading":
            if _level(later) <= _level(part):
                break
            continue
        if part.kind == "header" and later.text.lstrip()[:1] != "|" and "|" not in later.text:
            break
        if part.kind == "lead" and not _led(part, later, found, parts):
            break
        if later.kind != "mark":
            found.append(number)
    return found


def _led(lead: Part, later: Part, found: Sequence[int], parts: Sequence[Part]) -> bool:
    if later.kind == "heading":
        return False
    if later.depth > lead.depth or later.kind in {"code", "header"}:
        return True
    if found:  # rows go on; a sentence led into is the only one
        return later.kind != "lead" and "|" in later.text and "|" in parts[found[-1]].text
    return later.depth == lead.depth and later.kind != "mark"


def _level(part: Part) -> int:
    text = part.text.lstrip()
    return len(text) - len(text.lstrip("#")) or 1


def _tidied(parts: Sequence[Part]) -> list[Part]:
    """Return parts without space at the beginning and without two blank lines in a row."""
    tidy: list[Part] = []
    for part in parts:
        if part.kind == "space" and (not tidy or tidy[-1].kind == "space"):
            continue
        tidy.append(part)
    return tidy
