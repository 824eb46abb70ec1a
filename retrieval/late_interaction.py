"""How much of a question a passage says, token by token. Pure.

MaxSim, from late interaction (Khattab and Zaharia, "ColBERT", 2020): for each token of the question
the largest cosine to any token of the passage. There it is summed to rank; here its mean says
whether each thing that was asked is there, which one vector for all of a passage can't.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.tokens import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["TokenVectors", "maxsim"]


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens of a text as its model cuts it, and their vectors, of shape (tokens, size)."""

    tokens: tuple[str, ...]
    vectors: "npt.NDArray[np.float32]"
    """Each of length 1 (L2)."""

    def telling(self) -> "npt.NDArray[np.float32]":
        """Return the vectors of what says something: no sign, no stop word; else all of them."""
        told = [n for n, token in enumerate(self.tokens) if _tells(token)]
        return self.vectors[told] if told else self.vectors


def maxsim(question: TokenVectors, passage: TokenVectors) -> float:
    """Return the mean over a question's telling tokens of their largest cosines (-1 to 1)."""
    return float((question.telling() @ passage.vectors.T).max(axis=1).mean())


def _tells(token: str) -> bool:
    # WordPiece marks what goes on within a word by ##, and its own tokens by [ ].
    return token.removeprefix("##")[:1].isalnum() and token not in STOP_WORDS
