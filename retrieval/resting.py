"""Rests of a server that keeps its askers waiting, so that in an incident only one of them waits.

After a failure that took long nobody asks for a while, twice as long after each further one. Then
one asks, and the others go on without the server until that one knows. What fails at once costs
nobody time, so it is no reason to rest: a single odd text mustn't take the server from everyone.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from retrieval.endpoint import EndpointFailed

__all__ = ["Rests"]

_FIRST: Final = 5.0  # seconds
_LONGEST: Final = 60.0


class Rests:
    """The rests of one server. `slow` is how many seconds a failure takes to be a long one."""

    def __init__(self, who: str, slow: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._who: str = who
        self._slow: float = slow
        self._clock: Callable[[], float] = clock
        self._failures: int = 0
        self._until: float = float("-inf")
        self._probed: bool = False

    @contextmanager
    def asking(self) -> Generator[None]:
        """Hold this around a request.

        Raises:
            EndpointFailed: the server rests, and isn't to be asked.
        """
        began = self._clock()
        if began < self._until or self._probed:
            raise EndpointFailed(f"{self._who} kept others waiting and rests for some seconds.")
        self._probed = probing = self._failures > 0
        try:
            yield
        except (EndpointFailed, TimeoutError):
            # Of those that waited side by side, one counts.
            if self._clock() - began >= self._slow and began >= self._until:
                rest = min(_FIRST * 2.0**self._failures, _LONGEST)
                self._failures = min(self._failures + 1, 16)
                self._until = self._clock() + rest
            raise
        else:
            self._failures, self._until = 0, float("-inf")
        finally:
            if probing:
                self._probed = False
