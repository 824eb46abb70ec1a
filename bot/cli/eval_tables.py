"""The tables of `footnote eval` for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.cli.terminal import say
from retrieval.evaluation.measures import MEASURES

__all__ = ["show"]

_WIDTH = 110
_LONGEST = 60


def show(report: Mapping[str, Any]) -> None:
    """Write a report to standard output."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=_WIDTH)
    cases = report["cases"]
    title = f"{cases['answerable']} answerable questions, {report['documents']} documents"
    console.print(_measures(title, report["searches"]))
    for each in report["differences"]:
        gain = f"{each['of']} over {each['over']}, {each['measure']}: {each['value']:+.3f}"
        noise = ", within noise" if each["noise"] else ""
        console.print(f"{gain} [{each['low']:+.3f}, {each['high']:+.3f}]{noise}")
    if len(report["services"]) > 1:
        console.print(_measures("by service", report["services"]))
    console.print(_timings(report["timings_ms"]))
    if report["gate"]:
        _gate(console, report)
    for each in report["missed"]:
        found = each["place"] or "nowhere"
        console.print(f"not among the first four ({found}): {each['question'][:_LONGEST]}")
    for note in report["notes"]:
        say(note)


def _measures(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table("", *MEASURES, title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        cells = [
            f"{row[name]['value']:.3f} ±{(row[name]['high'] - row[name]['low']) / 2:.3f}"
            for name in MEASURES
        ]
        label = f"{row['name']} ({row['cases']})" if "cases" in row else row["name"]
        table.add_row(label, *cells)
    return table


def _timings(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table("milliseconds", *(row["stage"] for row in rows))
    for name in ("p50", "p95"):
        table.add_row(name, *(f"{row[name]:.1f}" for row in rows))
    return table


def _gate(console: Console, report: Mapping[str, Any]) -> None:
    gate = report["gate"]
    table = Table("AUROC", "written, calibration", "test", "left out, calibration", "test")
    by_signal: dict[str, dict[tuple[str, str], float | None]] = {}
    for each in gate["curves"]:
        by_signal.setdefault(each["signal"], {})[each["against"], each["half"]] = each["auroc"]
    for signal, found in by_signal.items():
        cells = [
            _share(found.get((against, half)))
            for against in ("written", "left-out")
            for half in ("calibration", "test")
        ]
        table.add_row(signal, *cells)
    console.print(table)
    said = gate["in_force"]
    minimum = f", {said['judge']} below {said['minimum']:.3f}" if said["minimum"] else ""
    table = Table(
        "half",
        "unanswerable",
        "answered",
        "false answers",
        title=f"NO_MATCH for distance above {said['max_distance']:.3f}{minimum}",
    )
    for half, kinds in gate["outcome"].items():
        for kind, found in kinds.items():
            table.add_row(
                half,
                f"{kind} ({found['others']})",
                _interval(found, "coverage", "coverage"),
                _interval(found, "false_answers", "false"),
            )
    console.print(table)
    if kept := report.get("calibrated"):
        verb = "kept; every search goes by it from now on" if kept["kept"] else "not kept"
        say(f"at most {kept['limit']:.0%} false answers, {kept['against']} kind: {verb}")


def _interval(found: Mapping[str, Any], name: str, prefix: str) -> str:
    low, high = found[f"{prefix}_low"], found[f"{prefix}_high"]
    return f"{found[name]:.0%} [{low:.0%}, {high:.0%}]"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
