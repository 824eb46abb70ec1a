"""Where in a chunk stands what is quoted of it: a chunk may hold several short sections. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from bot.citations.claims import Claim
from bot.pieces import Piece, pieces_of
from retrieval.documents import Passage

__all__ = ["at_its_section"]


def at_its_section(passage: Passage, claims: Sequence[Claim]) -> Passage:
    """Return a passage that names the sections whose words or code some claims repeat.

    Where none is repeated as it stands, it keeps the heading that its chunk begins under.
    """
    cut = pieces_of(passage)
    named = (each for each in cut if each.path[1:])
    quoted = dict.fromkeys(each.heading for each in named if _repeated(each, claims))
    heading = ", ".join(quoted)
    return replace(passage, heading=heading) if heading else passage


def _repeated(piece: Piece, claims: Sequence[Claim]) -> bool:
    code = "\n".join(piece.block.split("\n")[1:-1])
    # A cell that was asked for stands out where it is quoted.
    said = [each.replace("**", "") for each in (piece.text, *piece.steps) if each]
    return any(
        any(each in claim.text.replace("**", "") for each in said)
        or (code and any(code in block for block in claim.code))
        for claim in claims
    )
