"""What one check of `footnote doctor` found."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "State"]

type State = Literal["ok", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found. `advice` says what to do, and is empty when all is well."""

    name: str
    state: State
    detail: str
    advice: str = ""
