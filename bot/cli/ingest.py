"""`footnote ingest`: files and folders into the corpus, with a progress bar on a terminal."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bot.cli.bar import bar
from bot.cli.terminal import console, fail, prepared, print_json, say
from bot.core import Core, open_core
from bot.database import Database
from bot.settings import Settings
from retrieval.errors import RetrievalError
from retrieval.ingest import ingest
from retrieval.readers.kinds import SUFFIXES
from retrieval.report import IngestReport
from retrieval.rules import parse_rule
from retrieval.sources import Collected, Labels, collect

__all__ = ["ingest_command", "ingest_with_bar", "summary"]

_SHOWN_FAILURES = 20
_TOLD_EACH = 100


def ingest_command(  # noqa: PLR0913 - the options of the command
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", show_default=False)],
    service: Annotated[
        str | None, typer.Option(help="The service of documents that don't say theirs.")
    ] = None,
    doc_type: Annotated[
        str | None, typer.Option(help="The type of documents that don't say theirs.")
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="GLOB=SERVICE[:TYPE]",
            help="Service and type of documents by their path; repeatable, the first that fits.",
        ),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(help="A name for the folders, if their path changes; see --prune."),
    ] = None,
    *,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune", help="Remove documents that came from these folders and are gone from them."
        ),
    ] = False,
    allow_secrets: Annotated[
        bool, typer.Option("--allow-secrets", help="Take files that seem to hold keys or tokens.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Add documents, or bring them up to date; what didn't change costs nothing."""
    try:
        rules = [parse_rule(text) for text in mapped or ()]
        labels = Labels(service=service, doc_type=doc_type)
        found = collect(paths, labels, rules=rules, collection=collection)
    except RetrievalError as error:
        fail(str(error), as_json=as_json)
    if not found.sources:
        fail(_nothing(paths, found.skipped), as_json=as_json)
    with prepared(as_json=as_json) as (settings, database):
        report = asyncio.run(
            _ingest(settings, database, found, prune=prune, allow_secrets=allow_secrets)
        )
    if as_json:
        print_json(report.to_json())
    else:
        _show(report)
    if report.failed:
        raise typer.Exit(1)


def _nothing(paths: list[Path], skipped: int) -> str:
    where = ", ".join(map(str, paths))
    if not skipped:
        return f"Nothing was ingested: there is no file in {where}."
    kinds = " ".join(sorted(SUFFIXES))
    return (
        f"Nothing was ingested: of {skipped} files in {where} none is of a kind that is read"
        f" ({kinds})."
    )


async def _ingest(
    settings: Settings, database: Database, found: Collected, *, prune: bool, allow_secrets: bool
) -> IngestReport:
    async with open_core(settings, database) as core:
        return await ingest_with_bar(core, found, prune=prune, allow_secrets=allow_secrets)


async def ingest_with_bar(
    core: Core, found: Collected, *, prune: bool = False, allow_secrets: bool = False
) -> IngestReport:
    """Ingest, telling a person how far it is."""
    total = len(found.sources)
    with bar("documents", told_each=_TOLD_EACH, total=total) as advance:
        return await ingest(
            core.store,
            core.embedder,
            found,
            progress=lambda at: advance(at.done, at.total),
            prune=prune,
            allow_secrets=allow_secrets,
        )


def _show(report: IngestReport) -> None:
    if not console.is_terminal:
        say(summary(report))
    else:
        table = Table("documents", "")
        table.columns[1].justify = "right"
        for name, count in _counts(report).items():
            if count:
                table.add_row(name, str(count))
        table.add_section()
        table.add_row("chunks written", str(report.chunks_written))
        table.add_row("seconds", f"{report.seconds:.1f}")
        console.print(table)
    for failure in report.failed[:_SHOWN_FAILURES]:
        say(f"  failed: {failure.reason}")
    if len(report.failed) > _SHOWN_FAILURES:
        say(f"  … and {len(report.failed) - _SHOWN_FAILURES} more; --json lists them all.")
    for pages in report.pages_without_text:
        numbers = ", ".join(str(page) for page in pages.pages)
        say(f"  {pages.source}: no text on page {numbers}")


def _counts(report: IngestReport) -> dict[str, int]:
    return {
        "added": report.added,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "taken over from another folder": report.taken_over,
        "failed": len(report.failed),
        "of other kinds left out": report.skipped,
    }


def summary(report: IngestReport) -> str:
    """Return the report in one line."""
    told = ", ".join(f"{count} {name}" for name, count in _counts(report).items() if count)
    return f"{told or 'nothing'}; {report.chunks_written} chunks in {report.seconds:.1f} s"
