"""How much one turn may take before it has to answer with what it has."""

from dataclasses import dataclass

__all__ = ["Budget"]


@dataclass(frozen=True, slots=True)
class Budget:
    """The bounds of a turn with a model.

    `rounds`: rounds of tool calls; the model call after the last one offers no tools.
    `seconds`: for all of the model's calls and tools together. `tokens`: read and written, as
    the servers count them; once they are used up the next call offers no tools. `context`: what
    the model can read at once, its answer included.
    """

    rounds: int = 4
    seconds: float = 120.0
    tokens: int = 60_000
    context: int = 8_192
