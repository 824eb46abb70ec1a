"""An embedder for tests: each word has its own random direction, a text is the sum of its words.

It is deterministic, knows nothing of meaning, keeps count of what it was asked, and can be down.
"""

import re
import zlib
from collections.abc import Sequence

import numpy as np

from retrieval.embedding import Vector
from retrieval.errors import EmbedderDown

SIZE = 384


class BagOfWords:
    """Passes the contract of `Embedder`; `embedded` has all chunk texts it was given."""

    def __init__(self, name: str = "bag-of-words", size: int = SIZE) -> None:
        self.name: str = name
        self.size: int = size
        self.down: bool = False
        self.embedded: list[str] = []

    async def embed_query(self, text: str) -> Vector:
        """The sum of the words' directions."""
        self._refuse_when_down()
        return vector_of(text, self.size)

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The same for each text, and a note of it."""
        self._refuse_when_down()
        self.embedded.extend(texts)
        return [vector_of(text, self.size) for text in texts]

    async def maxsim(self, question: str, passages: Sequence[str]) -> list[float] | None:
        """Nothing: a bag has no tokens in order."""
        del question, passages

    def _refuse_when_down(self) -> None:
        if self.down:
            raise EmbedderDown("The embedder doesn't answer.")


def vector_of(text: str, size: int = SIZE) -> Vector:
    """The sum of the directions of the words, of length 1; a text without words has one too."""
    words = re.findall(r"\w+", text.lower()) or [""]
    total = np.sum([_direction(word, size) for word in words], axis=0)
    return (total / np.linalg.norm(total)).astype(np.float32)


def _direction(word: str, size: int) -> Vector:
    seed = zlib.crc32(word.encode("utf-8", "replace"))
    return np.random.default_rng(seed).standard_normal(size).astype(np.float32)
