"""Trigger ids: permission to open a view, for three seconds and one use."""

import secrets

from bot.playground.clock import Clock
from bot.playground.errors import ApiError

TRIGGER_SECONDS = 3.0


class Triggers:
    """The trigger ids given out with commands and clicks, each tied to the person who acted."""

    def __init__(self, clock: Clock) -> None:
        self._clock: Clock = clock
        self._given: dict[str, tuple[float, str]] = {}
        self._used: set[str] = set()

    def new(self, user_id: str) -> str:
        """A fresh trigger id."""
        trigger_id = (
            f"{secrets.randbelow(10**13)}.{secrets.randbelow(10**10)}.{secrets.token_hex(16)}"
        )
        self._given[trigger_id] = (self._clock.now(), user_id)
        return trigger_id

    def redeem(self, trigger_id: str) -> str:
        """The id of the person who acted.

        Raises:
            ApiError: `invalid_trigger_id`, `expired_trigger_id`, `exchanged_trigger_id`.
        """
        if trigger_id in self._used:
            raise ApiError("exchanged_trigger_id")
        given = self._given.pop(trigger_id, None)
        if given is None:
            raise ApiError("invalid_trigger_id")
        self._used.add(trigger_id)
        if self._clock.now() - given[0] > TRIGGER_SECONDS:
            raise ApiError("expired_trigger_id")
        return given[1]
