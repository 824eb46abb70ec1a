"""The check: claims, footnotes by number, marks, and whether an answer may be shown. Pure.

`Verdict.answer` is Markdown with markers [1]…[n] by first use, one number a chunk. Marks stand
after the claim's words, or before a code block that no words lead into.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.citations.blocks import thoughts_removed
from bot.citations.claims import Claim, Part, read
from bot.citations.examine import examined
from bot.citations.markers import clean, ids_in, numbered
from bot.citations.marks import shown
from bot.citations.sentences import says_no_match, tells_nothing
from bot.citations.sources import Sources

__all__ = ["Verdict", "check", "verdict_of"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer as it would be shown, and what it claims.

    `citations` are the footnotes: a number in the answer and the id it stands for. `unknown` are
    ids that no passage of the turn has; their markers are taken out. `valid` are the turn's ids.
    `says_no_match`: the point of the whole answer is that nothing was found. `parts` is what the
    answer is made of, for `without_uncited`.
    """

    answer: str
    citations: tuple[tuple[int, str], ...]
    claims: tuple[Claim, ...]
    unknown: tuple[str, ...]
    says_no_match: bool
    valid: tuple[str, ...]
    parts: tuple[Part, ...] = field(repr=False)

    @property
    def uncited(self) -> tuple[Claim, ...]:
        """The claims without a valid id."""
        return tuple(each for each in self.claims if each.uncited)

    @property
    def cited(self) -> bool:
        """Whether there is an answer and each of its claims is cited."""
        return bool(self.claims) and not self.uncited and not self.says_no_match

    @property
    def problems(self) -> tuple[str, ...]:
        """What keeps it from being shown, in one word each, for the step log."""
        if self.cited or self.says_no_match:
            return ()
        found = [
            "empty" * (not self.claims),
            "no_citation" * (not self.citations),
            "uncited_claims" * bool(self.uncited),
            "unknown_ids" * bool(self.unknown),
        ]
        return tuple(each for each in found if each)


def check(answer: str, sources: Sources) -> Verdict:
    """Return what an answer claims and whether each claim cites a passage of this turn.

    Markers inside code are code. Unknown ids are no citation. See `bot.citations.claims` for
    what a claim is, and `bot.citations.markers` for the forms of a marker.
    """
    parts, claims, unknown = read(clean(thoughts_removed(answer)), sources.known)
    parts, claims = examined(parts, claims, sources)
    return verdict_of(parts, claims, tuple(dict.fromkeys(unknown)), sources.ids)


def verdict_of(
    parts: Sequence[Part], claims: Sequence[Claim], unknown: tuple[str, ...], valid: tuple[str, ...]
) -> Verdict:
    """Put parts together: number the markers by first use, and show the marks."""
    order = [name for part in parts if part.kind != "code" for name in ids_in(part.text)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(order), start=1)}
    told: set[int] = set()
    texts: list[str] = []
    for place, part in enumerate(parts):
        text = part.text if part.kind == "code" else numbered(part.text, numbers)
        last = part.claim is not None and part.claim not in told
        if last and part.claim is not None:
            told.add(part.claim)
            text = _with_marks(part, text, shown(claims[part.claim].marks))
        texts.append(text)
        if part.kind == "code" and place + 1 < len(parts) and not text.endswith("\n"):
            texts.append("\n")
    return Verdict(
        answer="".join(texts).strip("\n"),
        citations=tuple((number, name) for name, number in numbers.items()),
        claims=tuple(claims),
        unknown=unknown,
        says_no_match=_says_no_match(parts, claims),
        valid=valid,
        parts=tuple(parts),
    )


def _with_marks(part: Part, text: str, marks: str) -> str:
    if not marks:
        return text
    if part.kind == "code":
        return f"{' ' * max(part.depth, 0)}{marks}\n\n{text}"
    words = text.rstrip()
    space = text[len(words) :] or ""
    if words.endswith("|"):
        return f"{words[:-1].rstrip()} {marks} |{space}"
    return f"{words} {marks}{space}"


def _says_no_match(parts: Sequence[Part], claims: Sequence[Claim]) -> bool:
    """Tell whether nothing but "no match" is said, or it is said first and no claim is cited."""
    said = [part for part in parts if part.kind in {"idle", "claim", "lead"} and part.text.strip()]
    if not said:
        return False
    if all(tells_nothing(each.text) for each in claims) and any(
        tells_nothing(part.text) for part in said
    ):
        return True
    cited = any(not each.uncited for each in claims)
    return not cited and (says_no_match(said[0].text) or says_no_match(said[-1].text))
