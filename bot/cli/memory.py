"""`footnote memory`: what is remembered of one person, for whoever runs the bot."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

import typer

from bot.cli.terminal import fail, output, prepared, print_json, say
from bot.database import Database, ready
from bot.errors import BadInput
from bot.jobs import Queue
from bot.memory import Fact, Memories, Owner, learning
from bot.memory.keeper import OFF
from bot.memory.rules import refusal, tidy
from bot.settings import Settings
from schema import Pool, open_pool

__all__ = ["memory"]

memory = typer.Typer(help="See and change what is remembered of a person.", rich_markup_mode=None)

_User = Annotated[str, typer.Option("--user", help="The user's id.")]
_Team = Annotated[
    str | None, typer.Option("--team", help="The workspace's id, when they are in several.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
_TOLD = 0.9  # importance of what somebody wants remembered


@memory.command("list")
def list_command(user: _User, team: _Team = None, *, as_json: _Json = False) -> None:
    """List what is remembered of a person."""
    report = _run(user, team, _export, as_json=as_json)
    if as_json:
        print_json(report)
        return
    for each in report["memories"]:
        output(f"{each['number']}  {each['type'].lower()}  {each['content']}")
    if not report["memories"]:
        say("Nothing is remembered of this user.")
    if not report["enabled"]:
        say("Memory is off for this user.")


@memory.command("export")
def export_command(user: _User, team: _Team = None) -> None:
    """Print all that is remembered of a person as one JSON object."""
    print_json(_run(user, team, _export, as_json=True))


@memory.command("add")
def add_command(
    text: Annotated[str, typer.Argument(help="What to remember, in quotes.")],
    user: _User,
    team: _Team = None,
    *,
    as_json: _Json = False,
) -> None:
    """Remember something of a person; a running bot makes it findable by meaning."""

    async def add(memories: Memories, owner: Owner, pool: Pool) -> dict[str, Any]:
        content = tidy(text)
        if why := refusal(content, user) if content else "There is nothing to remember.":
            raise BadInput(why)
        kept = await memories.add(owner, Fact(content, importance=_TOLD))
        if kept is None:
            raise BadInput(OFF)
        queue = Queue(pool)
        await queue.open()
        async with pool.connection() as connection:
            await queue.later(connection, learning.SETTLE, team=owner.team, user=owner.user)
        return {"number": kept.number, "known": kept.known}

    report = _run(user, team, add, as_json=as_json)
    _told(report, f"Memory {report['number']}.", as_json=as_json)


@memory.command("forget")
def forget_command(
    number: Annotated[int, typer.Argument(min=1, help="Its number in the list.")],
    user: _User,
    team: _Team = None,
    *,
    as_json: _Json = False,
) -> None:
    """Forget one memory of a person."""

    async def forget(memories: Memories, owner: Owner, _pool: Pool) -> dict[str, Any]:
        if not await memories.forget(owner, number):
            raise BadInput(f"There is no memory {number}: `footnote memory list` shows them.")
        return {"forgotten": 1}

    _told(_run(user, team, forget, as_json=as_json), "Forgotten.", as_json=as_json)


@memory.command("clear")
def clear_command(
    user: _User,
    team: _Team = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    as_json: _Json = False,
) -> None:
    """Forget all memories of a person."""

    async def clear(memories: Memories, owner: Owner, _pool: Pool) -> dict[str, Any]:
        return {"forgotten": await memories.clear(owner)}

    if not yes:
        if as_json:
            fail("Nothing was forgotten: add --yes.", as_json=as_json, code=2)
        typer.confirm("Forget all memories of this user? There is no way back.", abort=True)
    report = _run(user, team, clear, as_json=as_json)
    _told(report, f"Forgotten: {report['forgotten']}.", as_json=as_json)


@memory.command("off")
def off_command(user: _User, team: _Team = None, *, as_json: _Json = False) -> None:
    """Neither learn of a person nor recall."""
    _told(_run(user, team, _turning(on=False), as_json=as_json), "Off.", as_json=as_json)


@memory.command("on")
def on_command(user: _User, team: _Team = None, *, as_json: _Json = False) -> None:
    """Learn of a person and recall again."""
    _told(_run(user, team, _turning(on=True), as_json=as_json), "On.", as_json=as_json)


type _Work = Callable[[Memories, Owner, Pool], Awaitable[dict[str, Any]]]


async def _export(memories: Memories, owner: Owner, _pool: Pool) -> dict[str, Any]:
    return {
        "team": owner.team,
        "user": owner.user,
        "enabled": await memories.enabled(owner),
        "memories": await memories.export(owner),
    }


def _turning(*, on: bool) -> _Work:
    async def turn(memories: Memories, owner: Owner, _pool: Pool) -> dict[str, Any]:
        await memories.turn(owner, on=on)
        return {"enabled": on}

    return turn


def _told(report: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        say(sentence)


def _run(user: str, team: str | None, work: _Work, *, as_json: bool) -> dict[str, Any]:
    with prepared(as_json=as_json) as (settings, database):
        return asyncio.run(_with_memories(settings, database, user, team, work))


async def _with_memories(
    settings: Settings, database: Database, user: str, team: str | None, work: _Work
) -> dict[str, Any]:
    async with _opened(settings, database) as pool:
        memories = Memories(pool, settings.memory_limit)
        return await work(memories, Owner(team or await _team_of(memories, user), user), pool)


@asynccontextmanager
async def _opened(settings: Settings, database: Database) -> AsyncGenerator[Pool]:
    engine = await ready(database, settings)
    async with open_pool(database.url, engine=engine, max_size=2) as pool:
        yield pool


async def _team_of(memories: Memories, user: str) -> str:
    """Return the one workspace in which a user is known."""
    teams = await memories.teams(user)
    if len(teams) != 1:
        why = "is known in several workspaces" if teams else "has said nothing to remember yet"
        raise BadInput(f"The user {user} {why}: name the workspace with --team.")
    return teams[0]
