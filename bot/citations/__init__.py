"""The citation contract: what an answer claims, what each claim points to, and what is shown. Pure.

Passages go to the answerer under opaque ids (`Sources`); an answer carries them as `[S1fk]`.
`check` finds the claims, numbers the markers 1…n and marks what its passages don't bear out;
`correction` says once what is wrong; `without_uncited` is what may be shown after that.
"""

from bot.citations.claims import Claim
from bot.citations.markers import neutral
from bot.citations.marks import Mark
from bot.citations.repair import correction, without_uncited
from bot.citations.sources import Sources
from bot.citations.verdict import Verdict, check

__all__ = [
    "Claim",
    "Mark",
    "Sources",
    "Verdict",
    "check",
    "correction",
    "neutral",
    "without_uncited",
]
