"""What the model is told, as prose: a file each, read with the program."""

from collections.abc import Mapping
from importlib import resources

__all__ = ["prompt"]

_TEXTS: Mapping[str, str] = {
    file.name.removesuffix(".md"): file.read_text("utf-8").strip()
    for file in resources.files(__name__).iterdir()
    if file.name.endswith(".md")
}


def prompt(name: str) -> str:
    """Return the text of `name.md`."""
    return _TEXTS[name]
