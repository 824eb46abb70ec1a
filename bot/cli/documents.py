"""`footnote documents`: what is in the corpus, listed, shown and deleted."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

from bot.cli.terminal import console, fail, output, prepared, print_json, say, shown
from bot.database import Database, ready
from bot.settings import Settings
from retrieval.catalogue import Catalogue, Entry, Piece
from schema import engine_named, open_pool

__all__ = ["documents"]

documents = typer.Typer(help="List, show and delete documents.", rich_markup_mode=None)

# Not by `type` statements, which typer does not look into.
_Names = Annotated[list[str], typer.Argument(help="Sources or ids, as listed.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
_Everyone = Annotated[
    bool, typer.Option("--all", help="Also the documents of single teams and channels.")
]


@documents.command("list")
def list_command(
    service: Annotated[
        list[str] | None, typer.Option(help="Only this service; may be repeated.")
    ] = None,
    doc_type: Annotated[
        list[str] | None, typer.Option(help="Only this type of document; may be repeated.")
    ] = None,
    *,
    everyone: _Everyone = False,
    as_json: _Json = False,
) -> None:
    """List the documents by service and source."""
    with prepared(as_json=as_json) as (settings, database):
        found = asyncio.run(_entries(settings, database, service or (), doc_type or ()))
    entries = [each for each in found if everyone or not (each.team or each.audience)]
    others = len(found) - len(entries)
    if as_json:
        print_json({"documents": [each.to_json() for each in entries], "not_listed": others})
        return
    if not shown.is_terminal:
        sys.stderr.write("id\tservice\ttype\tchunks\tsource\n")  # programs read the rest
        for each in entries:
            output(f"{each.id}\t{each.service}\t{each.doc_type}\t{each.chunks}\t{each.source}")
    else:
        shown.print(_table(entries, everyone=everyone))
        say(f"{len(entries)} documents, {sum(each.chunks for each in entries)} chunks")
    if others:
        say(f"… and {others} of teams and channels, ingested in Slack: --all lists them, too.")


@documents.command("show")
def show_command(
    name: Annotated[str, typer.Argument(help="A source or an id.", show_default=False)],
    *,
    everyone: _Everyone = False,
    as_json: _Json = False,
) -> None:
    """Show a document's chunks, with their headings and pages."""
    with prepared(as_json=as_json) as (settings, database):
        entry, pieces = asyncio.run(_show(settings, database, name, everyone=everyone))
    if as_json:
        print_json({**entry.to_json(), "pieces": [asdict(each) for each in pieces]})
        return
    output(f"{entry.title}\n{entry.source} · {entry.service} · {entry.doc_type} · {entry.id}")
    for number in entry.pages_without_text:
        output(f"no text on page {number}")
    for piece in pieces:
        page = f", p. {piece.page}" if piece.page is not None else ""
        output(f"\n[{piece.position + 1}/{len(pieces)}] {piece.context}{page} · {piece.id}")
        output(piece.text)


@documents.command("delete")
def delete_command(
    names: _Names,
    *,
    everyone: _Everyone = False,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    as_json: _Json = False,
) -> None:
    """Delete documents: all that are named, or none."""
    if not yes and (as_json or not sys.stdin.isatty()):
        fail("Nobody is there to be asked: say --yes.", as_json=as_json, code=2)
    with prepared(as_json=as_json) as (settings, database):
        deleted = asyncio.run(_delete(settings, database, names, everyone=everyone, yes=yes))
    if as_json:
        print_json({"deleted": [each.to_json() for each in deleted]})
    else:
        say(f"{len(deleted)} documents deleted")


@asynccontextmanager
async def _catalogue(settings: Settings, database: Database) -> AsyncGenerator[Catalogue]:
    engine = await ready(database, settings)
    async with open_pool(database.url, engine=engine, max_size=2) as pool:
        yield Catalogue(pool, engine_named(engine))


async def _entries(
    settings: Settings, database: Database, services: Sequence[str], doc_types: Sequence[str]
) -> list[Entry]:
    async with _catalogue(settings, database) as catalogue:
        return await catalogue.entries(services=services, doc_types=doc_types, everyone=True)


async def _show(
    settings: Settings, database: Database, name: str, *, everyone: bool
) -> tuple[Entry, list[Piece]]:
    async with _catalogue(settings, database) as catalogue:
        (entry,) = await catalogue.named([name], everyone=everyone)
        return entry, await catalogue.pieces(entry.id)


async def _delete(
    settings: Settings, database: Database, names: Sequence[str], *, everyone: bool, yes: bool
) -> list[Entry]:
    async with _catalogue(settings, database) as catalogue:
        entries = await catalogue.named(names, everyone=everyone)
        if not yes:
            console.print(_table(entries, everyone=everyone))
            question = f"Delete {len(entries)} documents?"
            await asyncio.to_thread(typer.confirm, question, abort=True, err=True)
        await catalogue.delete([each.id for each in entries])
        return entries


def _table(entries: Sequence[Entry], *, everyone: bool) -> Table:
    table = Table("source", "title", "service", "type", "chunks", "id")
    table.columns[4].justify = "right"
    if everyone:
        table.add_column("team, channel")
    for column in table.columns:
        column.overflow = "fold"  # sources and ids are to be copied whole
    for each in entries:
        row: list[Any] = [each.source, each.title, each.service, each.doc_type, str(each.chunks)]
        row.append(each.id)
        if everyone:
            row.append(", ".join(filter(None, (each.team, each.audience))))
        table.add_row(*row)
    return table
