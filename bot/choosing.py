"""Which of the compared pieces are quoted: few, of one page, what was asked for. Pure.

What is to be typed never comes without the steps before it, nor without the warning above it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, takewhile

from bot.pieces import Piece, is_short
from bot.wishes import Role, Wish

__all__ = ["Candidate", "choose", "with_what_leads_there"]

_QUOTES = 3  # quoted pieces in an answer: what fits a phone's screen above the sources
_LONGEST = 1_800  # characters of an answer; a further piece is added only below it
_CLOSE = 0.12  # a piece this much worse than the best is left out
_CLOSE_STEPS = 0.35  # the same of the nearest commands, when the question asks what to do
_ABOUT = 0.5  # the share of the question's words that makes a command be about them
_ELSEWHERE = 0.05  # a piece of another document must be this near to the best, at least

_WARNS = re.compile(
    r"""\b(?:do\ not | don['’]t | must | ha(?:s|ve)\ to | may\ not | never | caution | warning
          | danger(?:ous)? | irreversible | cannot\ be\ undone
          | los(?:e|es|ing)\ (?:\w+\ )?data | loss\ of\ data)\b
      | \bonly\ (?:\w+\ ){1,5}(?:may|can|if|when|after|with)\b
      | \b(?:only|not)\ (?:after|before|if|when)\b
      | \bbefore\ you\b""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece and how near it is.

    `passage`, `document`, `title` and `heading` tell where it stands, `role` what its section is
    for; `hits` how many passages of its document were found, `later` how many pieces with steps
    come before it in sections for the same. `near` is how near it is to the question, `worth` what
    such a section is worth to it. `share` is the share of the question's words that it and its
    heading hold, `about` says whether they hold any of a follow-up's own. `named`: it is a row with
    a code that the question names, or with what it asks for, in the columns `asked`. `of_name`: its
    page bears a name that the question has, `of_past`: it tells of one incident. `first`: its
    section says what comes before what is asked, wherever on the page it stands. `forbids`: it says
    that this isn't to be done. `of_another`: it has a code, and none that the question has.
    """

    piece: Piece
    passage: int
    document: str
    title: str
    heading: str = ""
    role: Role = "other"
    hits: int = 0
    later: int = 0
    near: float = 0.0
    worth: float = 0.0
    share: float = 0.0
    about: bool = True
    named: bool = False
    asked: tuple[str, ...] = ()
    of_name: bool = False
    of_past: bool = False
    first: bool = False
    forbids: bool = False
    of_another: bool = False

    @property
    def score(self) -> float:
        """What it is chosen by within its document."""
        return self.near + self.worth

    @property
    def words(self) -> str:
        """What is compared with the question."""
        return f"{self.heading}\n{self.piece.words}" if self.heading else self.piece.words


def choose(scored: Sequence[Candidate], wish: Wish) -> list[Candidate]:
    """Return the few to be quoted, in the order of the passages, of the best piece's document.

    Of another document only a sentence that is as near: a command of a neighbouring page is none
    for this matter.
    """
    if not scored:
        return []
    best = max(scored, key=lambda each: (each.near, -each.passage))
    ranked = sorted(scored, key=lambda each: (-each.score, each.passage))
    here = [
        each
        for each in ranked
        if each.document == best.document
        or (not each.piece.is_steps and each.near >= best.near - _ELSEWHERE)
    ]
    if any(each.named for each in here[:_QUOTES]):
        chosen = [each for each in here if each.named][:_QUOTES]
    elif wish == "steps":
        chosen = _steps(here, ranked)
        if any(each.piece.is_steps for each in chosen):
            chosen = [*chosen, *_before(here, chosen), *_caution(here, chosen)]
    else:
        chosen = _fitting(here)
        if wish == "meaning":
            chosen = _going_on(chosen, here)
    return sorted(chosen, key=lambda each: (each.passage, each.piece.position))


def _fitting(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the best and those close to it."""
    chosen: list[Candidate] = []
    length = 0
    for each in ranked[:_QUOTES]:
        length += len(each.piece.words)
        if chosen and (each.score < ranked[0].score - _CLOSE or length > _LONGEST):
            break
        chosen.append(each)
    return chosen


def _steps(here: Sequence[Candidate], everywhere: Sequence[Candidate]) -> list[Candidate]:
    """Return what to do, with the nearest commands or steps to find out and to mend it.

    The sentence that repeats the question's words says less than the command below it; a command
    that is about these words needs no other. Where the page has none, it is another page's, as long
    as that is about the matter.
    """
    telling = [each for each in here if each.worth >= 0] or list(here)
    chosen = _about_most(_fitting(telling))
    if any(each.piece.is_steps and each.share >= _ABOUT for each in chosen):
        return chosen
    least = chosen[0].score - _CLOSE_STEPS
    for role in ("remedy", "check"):
        near = [each for each in telling if each.role == role and each.score >= least]
        steps = [each for each in near if each.piece.is_steps]
        if not near or any(each in chosen for each in steps or near):
            continue
        if steps or role == "remedy":
            chosen = [*chosen[:_QUOTES], (steps or near)[0]]
    if not any(each.piece.is_steps for each in chosen):
        others = [each for each in everywhere if each.share >= _ABOUT and each not in telling]
        near = (each for each in (*telling, *others) if each.piece.is_steps)
        chosen = [*chosen[:_QUOTES], *islice((each for each in near if each.score >= least), 1)]
    return chosen


def _before(here: Sequence[Candidate], chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return what the page wants to be done first, its commands if it has some."""
    first = [each for each in here if each.first and each not in chosen]
    return sorted(first, key=lambda each: not each.piece.is_steps)[:1]


def _caution(here: Sequence[Candidate], chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return what is not to be done, where that is nearer to the question than what is."""
    nearest = max(each.near for each in chosen)
    cautions = (
        each
        for each in here
        if each.role == "caution" and each.near > nearest and each.share >= _ABOUT
    )
    return list(islice(cautions, 1))


def _about_most(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Leave out the commands that are half as much about the matter as another, or less."""
    most = max((each.share for each in chosen if each.piece.is_steps), default=0.0)
    least = most / 2 if most >= _ABOUT else -1.0
    return [each for each in chosen if each.share > least or not each.piece.is_steps]


def _going_on(chosen: list[Candidate], ranked: Sequence[Candidate]) -> list[Candidate]:
    """Add what stands next to the best sentence in its section: a reason takes more than one."""
    best = chosen[0]

    def place(each: Candidate) -> tuple[int, bool]:
        here = (each.passage, each.piece.position)
        away = abs(each.piece.position - best.piece.position)
        return away, here < (best.passage, best.piece.position)

    section = [
        each
        for each in ranked
        if each.passage == best.passage and each.piece.path == best.piece.path
    ]
    around = sorted(section, key=place)[:_QUOTES]
    return list({id(each): each for each in [*around, *chosen]}.values())[:_QUOTES]


def with_what_leads_there(
    chosen: Sequence[Candidate], found: Sequence[Candidate], wish: Wish
) -> list[Candidate]:
    """Add the steps before each chosen step, the rest of it, and the warnings right beside it.

    Where not all of them fit, a procedure's first steps are quoted, never a later one without them.
    A fact that stands in a step needs no other. A short paragraph is quoted whole, unless a fact
    or a reason is asked for: what to do often stands behind the sentence that has the words.

    Args:
        chosen: what is to be quoted.
        found: all pieces, those of a document in its order.
        wish: what the question wants.
    """
    whole: dict[tuple[int, int], Candidate] = {}
    for each in chosen:
        added = [each]
        to_do = wish in {"steps", "permission"}
        if each.piece.is_steps or (each.piece.number and to_do):
            section, below = _section_around(each, found)
            steps = _procedure(each, section)
            if not each.piece.text and not each.piece.position:
                steps = [*_lead(section), *steps]
            above = section[: len(section) + 1 - len(steps)]
            rest = list(takewhile(lambda one: one.piece.goes_on, below))
            added = [
                *_warnings(reversed(above)),
                *_that_fit([*steps, *rest]),
                *_warnings(below[len(rest) :]),
            ]
        elif to_do and not each.piece.is_row:
            added = _paragraph(each, *_section_around(each, found))
        whole |= {(one.passage, one.piece.position): one for one in added}
    order = sorted(whole, key=lambda place: (not whole[place].first, place))
    return [whole[place] for place in order]


def _section_around(
    chosen: Candidate, found: Sequence[Candidate]
) -> tuple[list[Candidate], list[Candidate]]:
    """Return what stands before and after a piece in its section, on this page."""
    place = (chosen.passage, chosen.piece.position)
    section = [
        each
        for each in found
        if (each.document, each.piece.path) == (chosen.document, chosen.piece.path)
    ]
    before = [each for each in section if (each.passage, each.piece.position) < place]
    return before, [each for each in section if (each.passage, each.piece.position) > place]


def _lead(before: Sequence[Candidate]) -> list[Candidate]:
    """Return the sentence that leads into code over the border of a chunk."""
    last = before[-1:]
    return [each for each in last if each.piece.text.endswith(":") and not each.piece.is_steps]


def _paragraph(
    chosen: Candidate, before: Sequence[Candidate], after: Sequence[Candidate]
) -> list[Candidate]:
    """Return the paragraph that a sentence is of, or the sentence alone where that is long.

    What it says about another code is left out.
    """
    begun = 0
    if chosen.piece.goes_on:
        begun = 1 + sum(1 for _ in takewhile(lambda each: each.piece.goes_on, reversed(before)))
    rest = takewhile(lambda each: each.piece.goes_on, after)
    paragraph = [*before[len(before) - begun :], chosen, *rest]
    whole = [each for each in paragraph if not each.of_another]
    return whole if is_short(" ".join(each.piece.words for each in whole)) else [chosen]


def _procedure(step: Candidate, section: Sequence[Candidate]) -> list[Candidate]:
    """Return a step behind all that stands between it and its list's first item, that included."""
    taken = 0
    number = step.piece.number
    for away, each in enumerate(reversed(section), start=1):
        if each.piece.number > number or (number == 1 and not each.piece.number) or not number:
            break
        if each.piece.number:
            taken, number = away, each.piece.number
    return [*section[len(section) - taken :], step]


def _that_fit(steps: Sequence[Candidate]) -> list[Candidate]:
    """Return as many of a procedure's first steps as an answer may hold, one at least."""
    lengths = accumulate(len(each.piece.words) for each in steps)
    fit = sum(length <= _LONGEST for length in lengths)
    return list(steps[: max(fit, 1)])


def _warnings(beside: Iterable[Candidate]) -> list[Candidate]:
    """Return the warnings in the prose right beside commands, the nearest first."""
    prose = takewhile(
        lambda each: not (each.piece.is_steps or each.piece.is_row or each.piece.number),
        beside,
    )
    return [each for each in prose if _WARNS.search(each.piece.text)]
