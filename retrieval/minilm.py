"""all-MiniLM-L6-v2 in this process: one text in, one unit vector out.

Mean of the token vectors, then L2-normalised, as in the model's card
(sentence-transformers/all-MiniLM-L6-v2, "Usage (HuggingFace Transformers)"). Texts go one by
one: without padding each costs only its own length, and on two cores two texts side by side
on a thread each were 1.3 times as fast as one text on two threads, while batches of 16 took
twice the memory and were slower.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt
from onnxruntime import InferenceSession
from onnxruntime.capi.onnxruntime_pybind11_state import SessionOptions
from tokenizers import Encoding, Tokenizer

from retrieval.late_interaction import TokenVectors
from retrieval.minilm_graph import GIVEN, int8_graph
from retrieval.weights import MINILM_MODEL, MINILM_TOKENIZER, read_weights

__all__ = ["MiniLM", "Network", "int8_network", "packaged_network"]

type Network = Callable[[list[int]], npt.NDArray[np.float32]]
"""Tokens to their vectors, of shape (tokens, 384)."""

# Cosines of the fp32 model, from the quickstart of sentence-transformers.
_PROBES: Final = (
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
)
_COSINES: Final = (0.6660, 0.1046, 0.1411)
_TOLERANCE: Final = 0.03

# 512 is what the position table holds, and found more than the 256 of the model's card.
MAX_TOKENS = 512
# More than 512 tokens can need; keeps a pasted log of megabytes from being tokenised whole.
MAX_CHARACTERS = 20_000


class MiniLM:
    """The model, loaded and checked by its construction.

    Every method blocks, and may be called from several threads at once. `make` builds the
    network of the packaged model; by default it is the int8 one where that gives known results.

    Raises:
        WeightsDamaged: a file is missing or differs from what was shipped.
    """

    name: str = "all-MiniLM-L6-v2-int8"
    size: int = 384

    def __init__(self, make: Callable[[bytes], Network] | None = None) -> None:
        self._tokenizer: Tokenizer = Tokenizer.from_buffer(read_weights(MINILM_TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=MAX_TOKENS)
        packaged = read_weights(MINILM_MODEL)
        try:
            self._network: Network = (make or int8_network)(packaged)
            usable = make is not None or self.is_right()
        except Exception:  # noqa: BLE001 - an onnxruntime that can't run it runs the other
            usable = False
        if not usable:
            self._network = packaged_network(packaged)

    def embed(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a text, shape (384,), of length 1. Any text has one, also none."""
        # Nothing is padded, so that the mean over all tokens is the mean under the mask.
        mean = self._network(self._encoded(text).ids).mean(axis=0)
        return mean / np.linalg.norm(mean)

    def token_vectors(self, text: str) -> TokenVectors:
        """The vectors of a text's tokens, each of length 1. Any text has some, also none."""
        encoded = self._encoded(text)
        vectors = self._network(encoded.ids)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return TokenVectors(tuple(encoded.tokens), vectors / lengths)

    def is_right(self) -> bool:
        """Whether known cosines come out: processors without VNNI may overflow in int8."""
        one, two, three = map(self.embed, _PROBES)
        found = (one @ two, one @ three, two @ three)
        return bool(np.allclose(found, _COSINES, rtol=0, atol=_TOLERANCE))

    def _encoded(self, text: str) -> Encoding:
        # Lone surrogates have no UTF-8; the tokenizer would refuse them.
        readable = text.strip()[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        return self._tokenizer.encode(readable)


def int8_network(packaged: bytes) -> Network:
    """The weights multiplied as int8; returns token vectors of shape (tokens, 384)."""
    graph, tables = int8_graph(packaged)
    session = _session(graph)

    def run(ids: list[int]) -> npt.NDArray[np.float32]:
        (hidden,) = session.run(None, {GIVEN: tables.of(ids)})
        return np.asarray(hidden, dtype=np.float32)[0]

    return run


def packaged_network(packaged: bytes) -> Network:
    """The graph as it was packaged, which multiplies floats."""
    session = _session(packaged)

    def run(ids: list[int]) -> npt.NDArray[np.float32]:
        tokens = np.array([ids], dtype=np.int64)
        inputs = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        (hidden,) = session.run(["last_hidden_state"], inputs)
        return np.asarray(hidden, dtype=np.float32)[0]

    return run


def _session(model: bytes) -> InferenceSession:
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # With the arena three threads peaked at 420 MB over 400 texts of 5 to 512 tokens; without
    # it at 1,180 MB, since the C library keeps what it gets, and they were slower.
    options.enable_cpu_mem_arena = True
    options.enable_mem_pattern = False  # a plan per length: no gain when all lengths differ
    options.log_severity_level = 3
    return InferenceSession(model, options, providers=["CPUExecutionProvider"])
