"""What a process counts and measures, for Prometheus: never a text, an id or a name of anybody.

A label has few values, known beforehand: stop reasons, stages, Slack's methods and its errors.
"""

import re
from collections.abc import Iterable
from typing import Final, get_args
from urllib.parse import urlsplit

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

from bot.outcome import StopReason
from bot.steps import Step

__all__ = ["Metrics", "SlackErrors"]

_TURN_BUCKETS: Final = (0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300)
_STAGE_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_NAME: Final = re.compile(r"[a-z_]{1,60}")
_HTTP_ERROR: Final = 400


class Metrics:
    """A process's own, each in the registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._turns = Counter(
            "footnote_turns", "Turns by what they came to.", ["stop_reason"], registry=self.registry
        )
        for reason in get_args(StopReason.__value__):
            self._turns.labels(reason)
        self._turn_seconds = Histogram(
            "footnote_turn_seconds",
            "From the acceptance of a message to its reply.",
            buckets=_TURN_BUCKETS,
            registry=self.registry,
        )
        self._stage_seconds = Histogram(
            "footnote_stage_seconds",
            "Parts of a turn: searches and their stages, calls of the model, tools, checks.",
            ["stage"],
            buckets=_STAGE_BUCKETS,
            registry=self.registry,
        )
        self._slack_errors = Counter(
            "footnote_slack_errors",
            "Calls of Slack's Web API that failed.",
            ["method", "error"],
            registry=self.registry,
        )
        self._database = self._gauge("footnote_database_up", "Whether the database answers.")
        self._socket: Gauge | None = None
        self._waiting = self._gauge("footnote_waiting_messages", "Messages that wait.")
        self._oldest = self._gauge(
            "footnote_oldest_waiting_seconds", "How long the oldest of them has waited."
        )
        self._failed = self._gauge("footnote_failed_messages", "Messages that nobody will answer.")

    def delivered(self, reason: StopReason, seconds: float) -> None:
        """Count a turn whose reply is in Slack; `seconds` since its message was accepted."""
        self._turns.labels(reason).inc()
        self._turn_seconds.observe(seconds)

    def stages(self, steps: Iterable[Step]) -> None:
        """Take the times of a turn's steps."""
        for step in steps:
            if step.milliseconds is not None:
                self._stage_seconds.labels(step.kind).observe(step.milliseconds / 1000)
            if step.kind == "search":
                for stage, milliseconds in step.data["timings_ms"].items():
                    if stage != "total":
                        self._stage_seconds.labels(f"search_{stage}").observe(milliseconds / 1000)

    def slack_error(self, method: str, error: str) -> None:
        """Count a call that failed."""
        self._slack_errors.labels(method, error).inc()

    def queue(self, waiting: int, oldest_seconds: float, failed: int) -> None:
        """Take what the database tells of the inbox."""
        self._database.set(1)
        self._waiting.set(waiting)
        self._oldest.set(oldest_seconds)
        self._failed.set(failed)

    def no_database(self) -> None:
        """The database tells nothing."""
        self._database.set(0)
        for gauge in (self._waiting, self._oldest, self._failed):
            gauge.set(float("nan"))

    def socket(self, *, connected: bool) -> None:
        """Take whether Slack's socket stands, in a process that has one."""
        if self._socket is None:
            self._socket = self._gauge("footnote_socket_connected", "Whether a socket stands.")
        self._socket.set(int(connected))

    def text(self) -> bytes:
        """Return all of them in Prometheus' text format; it reads files."""
        return generate_latest(self.registry)

    def _gauge(self, name: str, help_text: str) -> Gauge:
        return Gauge(name, help_text, registry=self.registry)


class SlackErrors(AsyncRetryHandler):
    """Sees every answer of Slack's Web API, counts what failed, and repeats nothing."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__()
        self._metrics = metrics

    async def can_retry_async(
        self,
        *,
        state: RetryState,  # noqa: ARG002  # the SDK passes it by name
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        """Count the answer; never let it be repeated."""
        if name := _error(response, error):
            method = urlsplit(request.url).path.rpartition("/")[2]
            self._metrics.slack_error(method, name)
        return False


def _error(response: HttpResponse | None, error: Exception | None) -> str | None:
    """Return what Slack calls an error, or what kind it is; None when all went well."""
    if error is not None:
        return type(error).__name__
    if response is None:
        return None
    body = response.body if isinstance(response.body, dict) else {}
    if response.status_code < _HTTP_ERROR and body.get("ok"):
        return None
    name = str(body.get("error") or "")
    return name if _NAME.fullmatch(name) else f"http_{response.status_code}"
