"""Logs are events with names and values, one JSON object a line on standard error.

Never message text, never tokens. The libraries' own log lines pass through the same form.
"""

import logging
import sys
from typing import Final

import structlog

__all__ = ["configure"]

# What retrieval, which knows only Python's own logging, says beside an event's name. No others:
# the libraries' values are arguments of jobs and parts of messages.
_EXTRAS: Final = ("error", "sqlstate", "suffix")


def configure(level: str, *, people: bool = False) -> None:
    """Set up logging for this process.

    Args:
        level: the least level that is written: debug, info, warning or error.
        people: write for a person at a terminal instead of JSON.
    """
    shared = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[structlog.types.Processor] = (
        [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
        if people
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder(allow=_EXTRAS)],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("footnote").setLevel(level.upper())
    # Their informational lines hold request bodies or arguments; their warnings are useful.
    for name in ("slack_bolt", "slack_sdk", "procrastinate", "psycopg.pool", "aiohttp"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("psycopg.pool").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Tell whether a pool's line says more than that a query was cancelled, as every stop does."""
    return not str(record.msg).startswith("discarding closed connection")
