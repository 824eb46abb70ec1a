"""Failures on demand: a test says which Web API call fails, when and how often."""

import asyncio
from dataclasses import dataclass
from enum import StrEnum


class When(StrEnum):
    """The side of the effect a fault strikes on."""

    BEFORE = "before"
    """Nothing is stored."""
    AFTER = "after"
    """The effect is stored, the caller does not learn of it."""


class ApiFault(Exception):
    """The call ends with this Slack error."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error: str = error


class HttpFault(Exception):
    """The call ends with this HTTP status; `retry_after` in seconds goes into the header."""

    def __init__(self, status: int, retry_after: int | None = None) -> None:
        super().__init__(str(status))
        self.status: int = status
        self.retry_after: int | None = retry_after


class DroppedConnection(Exception):
    """The connection closes without an answer."""


class Hold:
    """Calls stop here until released. `reached` is set when the first one stands still."""

    def __init__(self) -> None:
        self.reached: asyncio.Event = asyncio.Event()
        self._open: asyncio.Event = asyncio.Event()

    def release(self) -> None:
        """Let the waiting calls, and all later ones, go on."""
        self._open.set()

    async def wait(self) -> None:
        """Stand still until released."""
        self.reached.set()
        await self._open.wait()


@dataclass(slots=True)
class _Plan:
    """One fault and how many calls it still strikes."""

    method: str
    when: When
    times: int
    outcome: Exception | Hold | float


class Faults:
    """The faults in force.

    The methods name a Web API method such as `chat.postMessage`, or `files.download`, where any
    error ends in the login page. Faults of one method and side strike in the order they were
    added, each `times` calls long. `AFTER` stops the world between "message stored" and "answer
    sent".
    """

    def __init__(self) -> None:
        self._plans: list[_Plan] = []

    def fail(
        self,
        method: str,
        error: str = "internal_error",
        *,
        times: int = 1,
        when: When = When.BEFORE,
    ) -> None:
        """Answer `{"ok": false, "error": error}`."""
        self._plans.append(_Plan(method, when, times, ApiFault(error)))

    def http_error(
        self, method: str, status: int = 500, *, times: int = 1, when: When = When.BEFORE
    ) -> None:
        """Answer with an HTTP status."""
        self._plans.append(_Plan(method, when, times, HttpFault(status)))

    def rate_limit(self, method: str, retry_after: int = 1, *, times: int = 1) -> None:
        """Answer 429 with a Retry-After of whole seconds."""
        self._plans.append(_Plan(method, When.BEFORE, times, HttpFault(429, retry_after)))

    def drop(self, method: str, *, times: int = 1, when: When = When.AFTER) -> None:
        """Close the connection without an answer; by default after the effect."""
        self._plans.append(_Plan(method, when, times, DroppedConnection()))

    def delay(
        self, method: str, seconds: float, *, times: int = 1, when: When = When.BEFORE
    ) -> None:
        """Answer later."""
        self._plans.append(_Plan(method, when, times, seconds))

    def hold(self, method: str, *, times: int = 1, when: When = When.AFTER) -> Hold:
        """Stop the call until the returned hold is released; by default after the effect."""
        hold = Hold()
        self._plans.append(_Plan(method, when, times, hold))
        return hold

    def planned(self, method: str) -> bool:
        """Whether a fault of this method is still to strike."""
        return any(plan.method == method and plan.times > 0 for plan in self._plans)

    def forget(self, method: str) -> None:
        """Forget the faults of one method; calls that stand still stay so."""
        self._plans = [plan for plan in self._plans if plan.method != method]

    def clear(self) -> None:
        """Forget all faults and release all holds."""
        for plan in self._plans:
            if isinstance(plan.outcome, Hold):
                plan.outcome.release()
        self._plans.clear()

    async def strike(self, method: str, when: When) -> None:
        """Let the next planned fault of this method and side happen, if there is one.

        Raises:
            ApiFault, HttpFault, DroppedConnection: as planned.
        """
        plan = next(
            (
                plan
                for plan in self._plans
                if plan.method == method and plan.when == when and plan.times > 0
            ),
            None,
        )
        if plan is None:
            return
        plan.times -= 1
        match plan.outcome:
            case Hold() as hold:
                await hold.wait()
            case float() | int() as seconds:
                await asyncio.sleep(seconds)
            case problem:
                raise problem
