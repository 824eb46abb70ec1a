"""What commands show: results on standard output, what is said about them on standard error."""

import json
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, NoReturn

import typer
from rich.console import Console

from bot.database import Database, open_database
from bot.errors import BotError
from bot.logs import configure
from bot.settings import Settings, load_settings
from retrieval.errors import RetrievalError
from schema import SchemaError

__all__ = ["FAILURES", "console", "fail", "output", "prepared", "print_json", "say", "shown"]

# What a person can mend: shown as one sentence, without a traceback.
FAILURES = (BotError, SchemaError, RetrievalError)

console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
shown = Console(highlight=False, markup=False)  # a command's result: a table or a tree


def say(text: str = "") -> None:
    """Write a line for a person."""
    console.print(text)


def output(text: str) -> None:
    """Write the result itself to standard output."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def print_json(value: Mapping[str, Any]) -> None:
    """Write the one object that `--json` promises."""
    output(json.dumps(value, ensure_ascii=False, allow_nan=False))


def fail(sentence: str, *, as_json: bool = False, code: int = 1) -> NoReturn:
    """End the command with one sentence."""
    if as_json:
        print_json({"error": sentence})
    console.print(f"footnote: {sentence}", style="red" if console.is_terminal else None)
    raise typer.Exit(code)


@contextmanager
def prepared(*, as_json: bool = False) -> Generator[tuple[Settings, Database]]:
    """Read the settings and use the database; failures inside end the command in a sentence."""
    try:
        settings = load_settings()
        configure(settings.log_level, people=True)
        with ExitStack() as stack:
            with _told("Starting the database …"):
                database = stack.enter_context(open_database(settings))
            yield settings, database
    except FAILURES as error:
        fail(str(error), as_json=as_json)


def _told(what: str) -> AbstractContextManager[object]:
    """Tell a person, and nobody else, what takes its time."""
    return console.status(what) if console.is_terminal else nullcontext()
