"""What a memory is: something that one person told the bot, which only that person sees. Pure."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["LONGEST", "NOTHING", "Fact", "Kept", "Memory", "Owner", "Recalled", "Type"]

LONGEST = 500
"""Characters of a memory."""

type Type = Literal["FACT", "GOAL", "PREFERENCE", "CONTEXT", "EVENT"]


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memories: a user of a workspace. No memory is ever looked for without."""

    team: str
    user: str


@dataclass(frozen=True, slots=True)
class Fact:
    """Something to be remembered; `importance` is between 0 and 1."""

    content: str
    type: Type = "FACT"
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class Memory:
    """Something remembered. `number` is what its owner calls it by.

    `likeness` is the cosine similarity to what was asked, None when it wasn't found by it.
    """

    id: str
    number: int
    type: Type
    content: str
    importance: float
    likeness: float | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a fact: its number, whether its words were known, what it stands for now.

    `replaced` counts older memories that said nearly the same.
    """

    number: int
    known: bool = False
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Recalled:
    """What came to mind at a question.

    `how`: by meaning; as the most important, since nothing was near (`foremost`) or the embedder
    was down (`blind`); or not at all, since the database failed.
    """

    memories: tuple[Memory, ...] = ()
    how: Literal["meaning", "foremost", "blind", "failed"] = "meaning"
    milliseconds: float = 0.0


NOTHING = Recalled()
