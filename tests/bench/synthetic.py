"""Documents that look like runbooks, and vectors that look like a model's: random, repeatable."""

import asyncio
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from retrieval.embedding import Embedder, Vector

CHUNKS_A_DOCUMENT = 10
_SECTIONS = 5
_WORDS_A_SECTION = 150
_WORDS = 30_000
_SERVICES = 100
_SYLLABLES = (
    *("ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu"),
    *("ra", "se", "ti", "vo", "wu", "xa", "ye", "zi", "cho", "ster"),
)
_DICE = np.random.default_rng(3).standard_normal(4_000_000, dtype=np.float32)


class SyntheticEmbedder:
    """Gives each text a random direction at once; every `real_each`-th call goes to a model."""

    def __init__(self, model: Embedder | None = None, real_each: int = 10) -> None:
        self.name: str = "synthetic"
        self.size: int = 384
        self._model: Embedder | None = model
        self._real_each: int = real_each
        self._calls: int = 0

    async def embed_query(self, text: str) -> Vector:
        """A direction that depends on the text only."""
        return _direction(text)

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The same for each text."""
        self._calls += 1
        if self._model is not None and self._calls % self._real_each == 0:
            return await self._model.embed_documents(texts)
        return await asyncio.to_thread(lambda: [_direction(text) for text in texts])

    async def maxsim(self, question: str, passages: Sequence[str]) -> None:
        """Nothing: random directions say nothing."""
        del question, passages


def _direction(text: str) -> Vector:
    """A stretch of many dice: it costs nothing that would count as the ingest's own time."""
    start = zlib.crc32(text.encode()) % (len(_DICE) - 384)
    return _DICE[start : start + 384]


def _vocabulary() -> list[str]:
    dice = np.random.default_rng(7)
    lengths = dice.integers(1, 5, _WORDS)
    return ["".join(dice.choice(_SYLLABLES, n)) + (f"_{n}" if n > 3 else "") for n in lengths]


def write_documents(folder: Path, chunks: int) -> None:
    """Fill a folder with documents that give about so many chunks, of a hundred services."""
    vocabulary = np.array(_vocabulary())
    for number in range(chunks // CHUNKS_A_DOCUMENT):
        dice = np.random.default_rng(number)
        service = f"s{number % _SERVICES}"
        text = "\n\n".join(_sections(dice, vocabulary))
        page = f"---\nservice: {service}\ndoc_type: runbook\n---\n# Document {number}\n\n{text}\n"
        (folder / f"{number:06}.md").write_text(page)


def _sections(dice: np.random.Generator, vocabulary: np.ndarray) -> Iterator[str]:
    for number in range(_SECTIONS):
        picked = vocabulary[np.minimum(dice.zipf(1.3, _WORDS_A_SECTION), _WORDS) - 1]
        words = picked.tolist()
        sentences = [" ".join(words[n : n + 12]).capitalize() + "." for n in range(0, 120, 12)]
        fence = f"```\nkubectl -n {words[0]} get {words[1]}\n```"
        last = " ".join(words[120:])
        yield f"## Step {number} {words[2]}\n\n{' '.join(sentences)}\n\n{fence}\n\n{last}."


def questions(count: int) -> list[str]:
    """Questions of some words of the vocabulary."""
    vocabulary = _vocabulary()
    dice = np.random.default_rng(11)
    return [
        " ".join(
            vocabulary[n] for n in np.minimum(dice.zipf(1.3, 8) + dice.integers(0, 500), _WORDS) - 1
        )
        for _ in range(count)
    ]
