"""What a command costs before it does anything: what it imports, and what `--help` says of it."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest
import typer

from bot.cli.commands import COMMANDS

SLACK = ("aiohttp", "bot.playground", "slack_bolt", "slack_sdk")
MODELS = ("httpx", "numpy", "onnxruntime", "tokenizers")
READERS = ("docutils", "lxml", "mammoth", "markdown_it", "openpyxl", "pptx", "pypdfium2", "yaml")
QUEUE = ("procrastinate",)
REST = ("psycopg", "pydantic", "rich", "structlog", "ir_measures")


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        (("commands",), (*SLACK, *MODELS, *READERS, *QUEUE, *REST)),
        (("documents", "forget", "migrate", "trace"), (*SLACK, *MODELS, *READERS, *QUEUE)),
        (("ask",), (*SLACK, *READERS, *QUEUE, "httpx", "onnxruntime")),
        (("jobs", "memory"), (*SLACK, *READERS, "httpx")),
        (("serve",), ("bot.playground", "docutils", "httpx", "openpyxl", "pptx", "ir_measures")),
    ],
    ids=["help", "documents", "ask", "jobs", "run"],
)
def test_a_command_imports_what_it_needs(modules: tuple[str, ...], absent: tuple[str, ...]) -> None:
    """Who asks for help or a list doesn't wait for Slack's client, a model or a PDF reader."""
    imports = ", ".join(f"bot.cli.{each}" for each in modules)
    told = f"import sys, {imports}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", told], check=True, capture_output=True, text=True, timeout=60
    )
    assert set(absent).isdisjoint(done.stdout.split())


@pytest.mark.parametrize("module", sorted({place.split(":")[0] for place, _ in COMMANDS.values()}))
def test_a_command_loads_by_itself(module: str) -> None:
    """It leans on nothing that another command has imported, as the tests' processes may."""
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, timeout=60)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_a_command_what_the_command_says(name: str) -> None:
    """The list of commands is written without importing them, and is in step with them."""
    place, sentence = COMMANDS[name]
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    said = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found)
    assert str(said).partition("\n")[0] == sentence
