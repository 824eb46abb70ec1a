"""What the log holds of the libraries below, and what it never does."""

import json
import logging
from collections.abc import Generator

import pytest
import structlog

from bot.logs import configure


@pytest.fixture(autouse=True)
def _as_before() -> Generator[None]:
    """Take back what setting up the log changes for the whole process."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def test_an_event_of_retrieval_keeps_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    """Python's own logging passes through with the values that are known to be harmless."""
    configure("info")
    values = {"sqlstate": "53100", "error": "DiskFull", "arguments": "what was asked"}
    logging.getLogger("retrieval.connection").warning("query_failed", extra=values)
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "query_failed"
    assert (line["sqlstate"], line["error"]) == ("53100", "DiskFull")
    assert "asked" not in str(line)


def test_a_stop_is_no_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """A connection whose query was cancelled is dropped in silence, a broken one is told of."""
    configure("info")
    pool = logging.getLogger("psycopg.pool")
    pool.warning("discarding closed connection: %s", "one")
    pool.warning("discarding broken connection: %s", "two")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "discarding broken connection: two"
