"""all-MiniLM-L6-v2 in this process: one text in, one unit vector out.

Mean of the token vectors, then L2-normalised, as in the model's card
(sentence-transformers/all-MiniLM-L6-v2, "Usage (HuggingFace Transformers)"). Texts go one by
one: without padding each costs only its own length, and on two cores two texts side by side
on a thread each were 1.3 times as fast as one text on two threads, while batches of 16 took
twice the memory and were slower.
"""

import numpy as np
import numpy.typing as npt
from onnxruntime import InferenceSession
from onnxruntime.capi.onnxruntime_pybind11_state import SessionOptions
from tokenizers import Tokenizer

from retrieval.weights import MINILM_MODEL, MINILM_TOKENIZER, read_weights

__all__ = ["MiniLM"]

# 512 is what the position table holds, and found more than the 256 of the model's card.
MAX_TOKENS = 512
# More than 512 tokens can need; keeps a pasted log of megabytes from being tokenised whole.
MAX_CHARACTERS = 20_000


class MiniLM:
    """The model, loaded and checked by its construction.

    Every method blocks, and may be called from several threads at once.

    Raises:
        WeightsDamaged: a file is missing or differs from what was shipped.
    """

    name: str = "all-MiniLM-L6-v2-int8"
    size: int = 384

    def __init__(self) -> None:
        self._tokenizer: Tokenizer = Tokenizer.from_buffer(read_weights(MINILM_TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=MAX_TOKENS)
        options = SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # With the arena three threads peaked at 420 MB over 400 texts of 5 to 512 tokens; without
        # it at 1,180 MB, since the C library keeps what it gets, and they were slower.
        options.enable_cpu_mem_arena = True
        options.enable_mem_pattern = False  # a plan per length: no gain when all lengths differ
        options.log_severity_level = 3
        self._session: InferenceSession = InferenceSession(
            read_weights(MINILM_MODEL), options, providers=["CPUExecutionProvider"]
        )

    def embed(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a text, shape (384,), of length 1. Any text has one, also none."""
        # Lone surrogates have no UTF-8; the tokenizer would refuse them.
        readable = text.strip()[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        ids = np.array([self._tokenizer.encode(readable).ids], dtype=np.int64)
        (hidden,) = self._session.run(
            ["last_hidden_state"],
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        # Nothing is padded, so that the mean over all tokens is the mean under the mask.
        mean = np.asarray(hidden, dtype=np.float32)[0].mean(axis=0)
        return mean / np.linalg.norm(mean)
