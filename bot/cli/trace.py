"""`footnote trace` and `footnote stats`: what turns did, and what they come to together."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from bot import stats, trace
from bot.cli.terminal import fail, prepared, print_json, shown
from bot.database import Database, ready
from bot.settings import Settings
from bot.steps import Step
from bot.trace import Names, Traced
from schema import open_pool

__all__ = ["stats_command", "trace_command"]

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def trace_command(
    name: Annotated[
        str | None,
        typer.Argument(help="A turn's or thread's id; by default the newest turn."),
    ] = None,
    *,
    as_json: _Json = False,
) -> None:
    """Show what a turn did: searches, model calls, corrections, verdicts, and why it stopped."""
    with prepared(as_json=as_json) as (settings, database):
        traced, names = asyncio.run(_traced(settings, database, name))
    if not traced:
        fail("There is no such turn or thread." if name else "No turn yet.", as_json=as_json)
    if as_json:
        print_json({"turns": [each.to_json() for each in traced]})
        return
    for each in traced:
        shown.print(_tree(each, names))


def stats_command(
    days: Annotated[float, typer.Option(min=0, max=36500, help="How far back.")] = 7.0,
    by: Annotated[
        Literal["day", "channel", "service"] | None, typer.Option(help="Count apart.")
    ] = None,
    *,
    as_json: _Json = False,
) -> None:
    """Count how turns ended, how long they took, their tokens and cost."""
    with prepared(as_json=as_json) as (settings, database):
        rows = asyncio.run(_rows(settings, database, days))
        groups = stats.grouped(rows, by, settings.prompt_price, settings.completion_price)
    if as_json:
        print_json({"days": days, "by": by, "groups": [asdict(each) for each in groups]})
        return
    table = Table(by or "", "turns", "outcomes", "p50 ms", "p95 ms", "calls", "tokens", "cost")
    for each in groups:
        outcomes = ", ".join(f"{count} {reason}" for reason, count in each.outcomes.items())
        table.add_row(
            each.name,
            str(each.turns),
            outcomes,
            f"{each.p50_ms:.0f}",
            f"{each.p95_ms:.0f}",
            str(each.calls),
            f"{each.prompt_tokens} + {each.completion_tokens}",
            f"{each.cost:g}",
        )
    shown.print(table)


async def _traced(
    settings: Settings, database: Database, name: str | None
) -> tuple[list[Traced], Names]:
    engine = await ready(database, settings)
    async with (
        open_pool(database.url, engine=engine, max_size=2) as pool,
        pool.connection() as connection,
    ):
        traced = await trace.read(connection, name)
        return traced, await trace.names(connection, traced)


async def _rows(settings: Settings, database: Database, days: float) -> list[stats.Row]:
    engine = await ready(database, settings)
    async with (
        open_pool(database.url, engine=engine, max_size=2) as pool,
        pool.connection() as connection,
    ):
        return await stats.read(connection, days)


def _tree(traced: Traced, names: Names) -> Tree:
    turn = traced.turn
    end = turn.stop_reason or "running"
    incident = f" · incident {turn.incident}" if turn.incident else ""
    took = "" if turn.milliseconds is None else f" · {turn.milliseconds:.0f} ms"
    question = " ".join(turn.question.split())
    tree = Tree(Text(f"{turn.id} · {question} → {end}{took}{incident}"))
    for step in traced.steps:
        took = "" if step.milliseconds is None else f" · {step.milliseconds:.1f} ms"
        branch = tree.add(Text(f"{step.kind}{took} · {_line(step, names)}"))
        for detail in _details(step, names):
            branch.add(Text(detail))
    for (turn_id, chunk), marker in names.markers.items():
        if turn_id == turn.id:
            tree.add(Text(f"[{marker}] {names.titles[chunk]}"))
    return tree


def _line(step: Step, names: Names) -> str:
    data = step.data
    match step.kind:
        case "search":
            gate = "NO_MATCH" if data.get("no_match") else f"{data.get('passages', '?')} passages"
            query = " ".join(str(data.get("query", "")).split())
            return f"“{query}” by {data.get('by', 'question')} → {gate}{_distance(data)}"
        case "model" if "failure" in data:
            return f"gave nothing: {data['failure']}"
        case "model":
            first = data.get("first_token_ms")
            seen = "" if first is None else f", first token after {first:.0f} ms"
            tokens = f"{data.get('prompt_tokens')} + {data.get('completion_tokens')} tokens"
            return f"{data.get('model')} at {data.get('server')}: {tokens}{seen}"
        case "tool":
            return f"{data.get('tool')} → {data.get('result')}"
        case "verdict":
            claims = data.get("claims", [])
            cited = sum(bool(each["ids"]) for each in claims)
            return f"{cited} of {len(claims)} claims cited"
        case _:
            return ", ".join(f"{key} {_value(value, names)}" for key, value in data.items())


def _value(value: Any, names: Names) -> str:
    """Return what is logged under a name, chunks by their titles."""
    if isinstance(value, list):
        return "; ".join(_value(each, names) for each in value) or "none"
    if isinstance(value, Mapping):
        return " · ".join(f"{key} {_value(each, names)}" for key, each in value.items())
    if isinstance(value, float):
        return f"{value:.1f}"
    return names.titles.get(value, str(value))


def _distance(data: Mapping[str, Any]) -> str:
    best = data.get("best_distance")
    return "" if best is None else f", best distance {best:.3f}"


def _details(step: Step, names: Names) -> list[str]:
    data = step.data
    if step.kind == "search":
        filters = [*data.get("services", []), *data.get("doc_types", [])]
        stages = ", ".join(f"{name} {ms:.1f}" for name, ms in data.get("timings_ms", {}).items())
        return [
            *([f"only {', '.join(filters)}"] if filters else []),
            f"ms: {stages}",
            *(_candidate(each, names) for each in data.get("candidates", [])[:4]),
        ]
    if step.kind == "verdict":
        return [
            f"claim {number}: {_value(each['ids'], names) if each['ids'] else 'uncited'}"
            + (f" ({', '.join(each['marks'])})" if each["marks"] else "")
            for number, each in enumerate(data.get("claims", []), start=1)
        ]
    return []


def _candidate(found: Mapping[str, Any], names: Names) -> str:
    ranks = [
        f"{name} {found[key]}"
        for name, key in (("vector", "vector_rank"), ("keyword", "keyword_rank"))
        if found.get(key) is not None
    ]
    if found.get("rerank_score") is not None:
        ranks.append(f"rerank {found['rerank_score']:.3f}")
    return f"{names.titles.get(found['chunk_id'], found['chunk_id'])}: {', '.join(ranks)}"
