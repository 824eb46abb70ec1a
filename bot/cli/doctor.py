"""`footnote doctor`: what is configured, what answers, and what to do about what doesn't."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from bot.cli.terminal import console, prepared, print_json, say
from bot.database import Database
from bot.doctor import Finding, examine
from bot.settings import Settings

__all__ = ["doctor"]

_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failure": ("✗", "red")}


def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the settings, the database, the models and Slack."""
    with prepared(as_json=as_json) as (settings, database):
        findings = asyncio.run(_doctor(settings, database, quiet=as_json))
    healthy = all(each.state != "failure" for each in findings)
    if as_json:
        print_json({"healthy": healthy, "findings": [asdict(each) for each in findings]})
    if not healthy:
        raise typer.Exit(1)


async def _doctor(settings: Settings, database: Database, *, quiet: bool) -> list[Finding]:
    findings: list[Finding] = []
    async for finding in examine(settings, database):
        findings.append(finding)
        if not quiet:
            mark, colour = _MARKS[finding.state]
            console.print(mark, style=colour, end=" ")
            say(f"{finding.name}: {finding.detail}")
            if finding.advice:
                say(f"  → {finding.advice}")
    return findings
