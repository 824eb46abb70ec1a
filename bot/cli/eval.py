"""`footnote eval`: how good the answers' sources are, and when NO_MATCH is said, as numbers."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from bot.cli.bar import bar
from bot.cli.eval_tables import show
from bot.cli.terminal import fail, prepared, print_json, say
from bot.core import open_core
from bot.database import Database
from bot.model_servers import open_embedder, open_reranker
from bot.settings import Settings
from bot.starter import starter
from retrieval.calibration import Calibration, corpus_now, forget, in_force, keep, newest
from retrieval.evaluation import (
    Bench,
    Case,
    Measured,
    Rule,
    choose,
    halves,
    is_beir,
    measure,
    page,
    read_beir,
    read_cases,
    report_of,
)
from retrieval.gate import Gates
from retrieval.ingest import ingest
from retrieval.store import Store
from schema import engine_named, inspect, open_pool, scratch_database

__all__ = ["evaluation"]

_TOLD_EACH = 100

evaluation = typer.Typer(
    help="Measure the search on questions whose answers are known, and set when to say NO_MATCH.",
    rich_markup_mode=None,
)

Questions = Annotated[
    Path,
    typer.Argument(
        help="A YAML or JSONL file of questions; for `run` also a BEIR folder.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Html = Annotated[
    Path | None, typer.Option("--html", help="Write the report with its plots to this file.")
]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is measured with, and where the figures come from."""

    measured: list[Measured]
    report: dict[str, Any]


@evaluation.command("run")
def run(questions: Questions, *, html: Html = None, as_json: AsJson = False) -> None:
    """Measure which documents the searches bring up, and what the gates make of it."""
    with prepared(as_json=as_json) as (settings, database):
        asked = asyncio.run(_run(settings, database, questions))
    _tell(asked.report, html, as_json=as_json)


@evaluation.command("calibrate")
def calibrate(  # noqa: PLR0913 - the options of the command
    questions: Questions,
    *,
    against: Annotated[
        Literal["written", "left-out"],
        typer.Option(
            help="The unanswerable questions to keep out: those you wrote, or your answerable ones"
            " with their documents left out (stricter)."
        ),
    ] = "written",
    limit: Annotated[
        float, typer.Option(min=0, max=0.5, help="The share of them that may get an answer.")
    ] = 0.05,
    judge: Annotated[
        Literal["confidence", "reranker"],
        typer.Option(help="What decides: the search's confidence, or the reranker's best score."),
    ] = "confidence",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be kept.")
    ] = False,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Choose on one half of the questions when to say NO_MATCH, and judge it on the other."""
    rule = Rule(against, limit, judge)
    with prepared(as_json=as_json) as (settings, database):
        report = asyncio.run(_calibrate(settings, database, questions, rule, dry_run=dry_run))
    _tell(report, html, as_json=as_json)
    if not as_json and settings.max_distance is not None:
        say("FOOTNOTE_MAX_DISTANCE is set and goes before it: take it away.")


@evaluation.command("init")
def init(
    target: Annotated[Path, typer.Argument(help="The YAML file to write.", show_default=False)],
) -> None:
    """Write a first file of cases, from what was asked and what is stored, for you to correct."""
    if target.exists():
        fail(f"{target} is there already: name another file, so that nothing of yours is lost.")
    with prepared() as (settings, database):
        text, asked, titles = asyncio.run(_starter(settings, database))
    target.write_text(text, encoding="utf-8")
    say(f"{target}: {asked} questions that were asked, {titles} for documents. Correct it, then:")
    say(f"  footnote eval run {target}")


@evaluation.command("forget")
def forget_command() -> None:
    """Forget what was calibrated: the defaults say NO_MATCH again."""
    with prepared() as (settings, database):
        found = asyncio.run(_forget(settings, database))
    say("The calibration is gone, and the defaults decide." if found else "There is none.")


async def _forget(settings: Settings, database: Database) -> int:
    async with open_core(settings, database) as core:
        return await forget(core.pool)


async def _starter(settings: Settings, database: Database) -> tuple[str, int, int]:
    async with open_core(settings, database) as core:
        return await starter(core.pool)


async def _run(settings: Settings, database: Database, questions: Path) -> _Asked:
    if await asyncio.to_thread(is_beir, questions):
        return await _run_beir(settings, database, questions)
    file = await asyncio.to_thread(read_cases, questions)
    async with open_core(settings, database) as core, open_reranker(settings) as reranker:
        facts = await inspect(database.url)
        bench = Bench(core.pool, engine_named(facts.engine or "sql"), core.embedder, reranker)
        gates = await _gates(settings, bench)
        asked = await _measured(bench, file.cases, gates, follow_ups=file.follow_ups)
        await _warn_if_moved(bench, asked.report)
        return asked


async def _run_beir(settings: Settings, database: Database, folder: Path) -> _Asked:
    """Measure a benchmark in a database of its own, so that it never answers a question."""
    beir = await asyncio.to_thread(read_beir, folder)
    engine = settings.engine or (await inspect(database.url)).engine or "sql"
    async with (
        open_embedder(settings) as embedder,
        open_reranker(settings) as reranker,
        scratch_database(database.url, vector_size=embedder.size, engine=engine) as url,
        open_pool(url, engine=engine, max_size=6) as pool,
    ):
        store = Store(pool, engine_named(engine))
        with bar("documents", told_each=1_000, total=len(beir.sources)) as advance:
            await ingest(
                store, embedder, beir.sources, progress=lambda at: advance(at.done, at.total)
            )
        bench = Bench(pool, engine_named(engine), embedder, reranker)
        return await _measured(bench, beir.cases, await _gates(settings, bench), left_out=False)


async def _calibrate(
    settings: Settings, database: Database, questions: Path, rule: Rule, *, dry_run: bool
) -> dict[str, Any]:
    file = await asyncio.to_thread(read_cases, questions)
    async with open_core(settings, database) as core, open_reranker(settings) as reranker:
        facts = await inspect(database.url)
        bench = Bench(core.pool, engine_named(facts.engine or "sql"), core.embedder, reranker)
        measured = await _ask_all(bench, file.cases)
        gates = choose(halves(measured)["calibration"], rule)
        now = await corpus_now(core.pool)
        report = await asyncio.to_thread(
            report_of, bench, measured, gates, follow_ups=file.follow_ups, documents=now.documents
        )
        report["calibrated"] = {**asdict(rule), **asdict(gates), "kept": not dry_run}
        if not dry_run:
            kept = {
                **asdict(rule),
                "cases": report["cases"],
                "outcome": report["gate"]["outcome"],
            }
            calibration = Calibration(
                embedder=core.embedder.name,
                corpus=now.hash,
                documents=now.documents,
                gates=gates,
                reranker=reranker.name if bench.reranks else None,
                report=kept,
            )
            await keep(core.pool, calibration)
        return report


async def _ask_all(bench: Bench, cases: Sequence[Case], *, left_out: bool = True) -> list[Measured]:
    with bar("questions", told_each=_TOLD_EACH, total=len(cases)) as advance:
        return await measure(bench, cases, left_out=left_out, progress=advance)


async def _measured(
    bench: Bench,
    cases: Sequence[Case],
    gates: Gates,
    *,
    follow_ups: int = 0,
    left_out: bool = True,
) -> _Asked:
    measured = await _ask_all(bench, cases, left_out=left_out)
    now = await corpus_now(bench.pool)
    report = await asyncio.to_thread(
        report_of, bench, measured, gates, follow_ups=follow_ups, documents=now.documents
    )
    return _Asked(measured, report)


async def _gates(settings: Settings, bench: Bench) -> Gates:
    if settings.max_distance is not None:
        return Gates(settings.max_distance)
    return (await in_force(bench.pool, bench.embedder.name, bench.reranker.name)).gates


async def _warn_if_moved(bench: Bench, report: dict[str, Any]) -> None:
    kept = await newest(bench.pool)
    if kept is not None and (moved := kept.moved(await corpus_now(bench.pool))):
        report["notes"].append(" ".join([*moved, "Calibrate again."]))


def _tell(report: dict[str, Any], html: Path | None, *, as_json: bool) -> None:
    if html is not None:
        html.write_text(page(report), encoding="utf-8")
    if as_json:
        print_json(report)
        return
    show(report)
    if html is not None:
        say(f"The report with its plots: {html}")
