"""All commands of `footnote`, put together."""

from importlib.metadata import version
from typing import Annotated

import typer

from bot.cli.ask import ask
from bot.cli.demo.command import demo
from bot.cli.doctor import doctor
from bot.cli.documents import documents
from bot.cli.eval import evaluation
from bot.cli.forget import forget
from bot.cli.ingest import ingest_command
from bot.cli.jobs import jobs
from bot.cli.memory import memory
from bot.cli.reembed import reembed
from bot.cli.serve import migrate, run, web, worker
from bot.cli.smoke import smoke
from bot.cli.terminal import output
from bot.cli.trace import stats_command, trace_command

__all__ = ["cli"]

cli = typer.Typer(
    name="footnote",
    help="Answers runbook and on-call questions, every claim footnoted, or NO_MATCH.",
    no_args_is_help=False,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
cli.command("ask")(ask)
cli.command("ingest")(ingest_command)
cli.command("reembed")(reembed)
cli.add_typer(documents, name="documents")
cli.add_typer(evaluation, name="eval")
cli.command("doctor")(doctor)
cli.command("jobs")(jobs)
cli.command("forget")(forget)
cli.add_typer(memory, name="memory")
cli.command("trace")(trace_command)
cli.command("stats")(stats_command)
cli.command("demo")(demo)
cli.command("smoke")(smoke)
cli.command("run")(run)
cli.command("web")(web)
cli.command("worker")(worker)
cli.command("migrate")(migrate)


@cli.callback()
def footnote(
    context: typer.Context,
    *,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Answers runbook and on-call questions, every claim footnoted, or NO_MATCH."""
    if show_version:
        output(version("footnote"))
        raise typer.Exit
    if context.invoked_subcommand is None:
        output(context.get_help())
        raise typer.Exit
