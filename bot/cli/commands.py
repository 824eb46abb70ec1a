"""All commands of `footnote`; the module of each is imported when it is the one that is used."""

import gc
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

__all__ = ["COMMANDS", "cli"]

# Where each is, and its line in `footnote --help`, which imports none of them.
COMMANDS = {
    "ask": ("bot.cli.ask:ask", "Answer a question from the documents, with footnotes."),
    "ingest": (
        "bot.cli.ingest:ingest_command",
        "Add documents, or bring them up to date; what didn't change costs nothing.",
    ),
    "documents": ("bot.cli.documents:documents", "List, show and delete documents."),
    "reembed": (
        "bot.cli.reembed:reembed",
        "Make all vectors anew after a change of the embedder; searches go on meanwhile.",
    ),
    "eval": (
        "bot.cli.eval:evaluation",
        "Measure the search on questions whose answers are known, and set when to say NO_MATCH.",
    ),
    "trace": (
        "bot.cli.trace:trace_command",
        "Show what a turn did: searches, model calls, corrections, verdicts, and why it stopped.",
    ),
    "stats": (
        "bot.cli.trace:stats_command",
        "Count how turns ended, how long they took, their tokens and cost.",
    ),
    "jobs": (
        "bot.cli.jobs:jobs",
        "Show the messages that wait or failed, and the queue's jobs.",
    ),
    "forget": (
        "bot.cli.forget:forget",
        "Remove the questions and answers of a user, a thread or a channel from the database.",
    ),
    "memory": ("bot.cli.memory:memory", "See and change what is remembered of a person."),
    "doctor": (
        "bot.cli.doctor:doctor",
        "Check the settings, the database, the models and Slack.",
    ),
    "demo": (
        "bot.cli.demo.command:demo",
        "Try everything in a browser: no Slack, no keys, no network.",
    ),
    "smoke": (
        "bot.cli.smoke:smoke",
        "Start the demo on a free port and a fresh folder, ask and set things, check, stop.",
    ),
    "run": ("bot.cli.serve:run", "Receive from Slack and answer, in one process."),
    "web": ("bot.cli.serve:web", "Receive from Slack; a worker answers."),
    "worker": ("bot.cli.serve:worker", "Answer what the web process received."),
    "migrate": ("bot.cli.migrate:migrate", "Bring the database up to date."),
}


class _Later(TyperCommand):
    """A command by its place: imported, with all that it needs, once it is to be run."""

    def __init__(self, name: str, place: str, sentence: str) -> None:
        super().__init__(name, help=sentence, rich_markup_mode=None)
        self._place = place

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **named: Any) -> Any:
        """Read the arguments as the command itself does; what runs then is that command."""
        found = _imported(self._place)
        if isinstance(found, typer.Typer):
            command = get_group(found)
        else:
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(info_name)(found)
            command = get_command(alone)
        return command.make_context(info_name, args, *more, **named)


def _imported(place: str) -> Any:
    module, _, attribute = place.partition(":")
    gc.disable()  # nothing of this is garbage, and to look for some takes a tenth of the time
    try:
        return getattr(import_module(module), attribute)
    finally:
        gc.freeze()
        gc.enable()


class _Commands(TyperGroup):
    """The group of all of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (place, sentence) in COMMANDS.items():
            self.add_command(_Later(name, place, sentence))


cli = typer.Typer(
    name="footnote",
    cls=_Commands,
    help="Answers runbook and on-call questions, every claim footnoted, or NO_MATCH.",
    no_args_is_help=False,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@cli.callback()
def footnote(
    context: typer.Context,
    *,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Answers runbook and on-call questions, every claim footnoted, or NO_MATCH."""
    if show_version:
        typer.echo(version("footnote"))
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit
