"""`/memory`, and the buttons that show and change memories: always of whoever uses them.

Everything here is said to one person alone. The web process may have no embedder: what is added
here is kept at once, and a worker makes it findable by meaning.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.errors import SlackClientError

from bot.events import strip_mention
from bot.jobs import DATABASE_ERRORS
from bot.listeners.clicks import in_time
from bot.listeners.home import publish
from bot.listeners.memory_export import SENDING, Export, send
from bot.listeners.modals import open_view
from bot.listeners.parts import Parts
from bot.listeners.telling import DATABASE_DOWN, tell
from bot.memory import Fact, Memories, Owner, learning
from bot.memory.keeper import OFF
from bot.memory.rules import refusal, tidy
from bot.memory.shown import CLEAR, FORGET, LIST, SWITCH, counted, listed, modal
from retrieval.errors import QueryFailed

__all__ = ["register"]

_LOG = structlog.get_logger("footnote.memory")
_USAGE = "Use it like this: `/memory list | add TEXT | forget N | clear | off | on | export`."
_NOT_YOURS = "These are memories of whoever asked; only they can see them. `/memory` shows yours."
_SECONDS = 2.0  # below the three in which Slack wants its ack, and its trigger used
_PAGE = 30
_IN_MODAL = 40
_TOLD = 0.9  # importance of what somebody wants remembered
_FAILURES = (*DATABASE_ERRORS, QueryFailed, TimeoutError)


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the command and the buttons to the app."""
    memories = Memories(parts.pool, parts.settings.memory_limit)
    commands = _Commands(parts, memories)

    @app.command("/memory")
    async def memory(ack: AsyncAck, command: Mapping[str, Any], respond: AsyncRespond) -> None:
        owner = Owner(str(command["team_id"]), str(command["user_id"]))
        text = strip_mention(str(command.get("text") or ""), parts.identity.bot_user)
        async with in_time(lambda: commands.run(owner, text)) as done:
            said = done[0] if done else DATABASE_DOWN
            if isinstance(said, Export):
                await ack(SENDING)
                await send(parts.client, owner, said, respond)
            else:
                await ack(said)

    @app.action(LIST)
    async def show(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await ack()
        owner = _clicker(body)
        if action.get("value") != owner.user:
            await tell(respond, _NOT_YOURS)
            return
        try:
            view = await _view(memories, owner)
        except _FAILURES as error:
            _LOG.warning("memories_not_shown", error=type(error).__name__)
            await tell(respond, DATABASE_DOWN)
            return
        await open_view(parts.client, str(body["trigger_id"]), respond, view)

    @app.action(re.compile(f"^(?:{FORGET}|{CLEAR}|{SWITCH})$"))
    async def change(
        ack: AsyncAck, body: Mapping[str, Any], action: Mapping[str, Any], respond: AsyncRespond
    ) -> None:
        await ack()
        owner = _clicker(body)
        try:
            async with asyncio.timeout(_SECONDS):
                await _changed(memories, owner, str(action["action_id"]), str(action.get("value")))
            view: Mapping[str, Any] = body.get("view") or {}
            if view.get("type") == "modal":
                fresh = await _view(memories, owner)
                await parts.client.views_update(view_id=str(view["id"]), view=fresh)
            elif view.get("type") == "home":
                await publish(parts, owner.user)
        except (*_FAILURES, SlackClientError) as error:
            _LOG.warning("memories_not_changed", error=type(error).__name__)
            await tell(respond, DATABASE_DOWN)

    del memory, show, change  # Bolt has them


class _Commands:
    """What each word after `/memory` does; each returns what to say."""

    def __init__(self, parts: Parts, memories: Memories) -> None:
        self._parts: Parts = parts
        self._memories: Memories = memories
        self._verbs: Mapping[str, Callable[[Owner, str], Awaitable[str | Export]]] = {
            "": self._list,
            "list": self._list,
            "add": self._add,
            "forget": self._forget,
            "clear": self._clear,
            "off": self._off,
            "on": self._on,
            "export": self._export,
        }

    async def run(self, owner: Owner, text: str) -> str | Export:
        """Do what a command says; returns what to say, or what is too long to be said."""
        verb, _, rest = text.strip().partition(" ")
        do = self._verbs.get(verb.lower())
        return _USAGE if do is None else await do(owner, rest.strip())

    async def _list(self, owner: Owner, page: str) -> str:
        if page and not (page.isascii() and page.isdigit() and int(page[:6]) > 0):
            return "A page is a number: `/memory list 2`."
        first = (int(page[:6]) - 1) * _PAGE if page else 0
        found, total = await self._memories.page(owner, _PAGE, first)
        if first and not found:
            return "There is no such page: `/memory list` shows the first."
        return listed(found, total, first, on=await self._memories.enabled(owner))

    async def _add(self, owner: Owner, text: str) -> str:
        content = tidy(text)
        if not content:
            return "Say what to remember: `/memory add I'm on the payments team`."
        if why := refusal(content, owner.user):
            return why
        kept = await self._memories.add(owner, Fact(content, importance=_TOLD))
        if kept is None:
            return OFF
        async with self._parts.pool.connection() as connection:
            await self._parts.queue.later(
                connection, learning.SETTLE, team=owner.team, user=owner.user
            )
        if kept.known:
            return f"I know that already: it is your memory {kept.number}."
        return f"Noted, as your memory {kept.number}; only you can see it."

    async def _forget(self, owner: Owner, number: str) -> str:
        if not (number.isascii() and number.isdigit()):
            return "Name a memory by its number in `/memory list`: `/memory forget 3`."
        if not await self._memories.forget(owner, int(number[:9])):
            return f"You have no memory {int(number[:9])}. `/memory list` shows what I have."
        return "Forgotten: 1 memory."

    async def _clear(self, owner: Owner, _rest: str) -> str:
        return f"Forgotten: {counted(await self._memories.clear(owner))}."

    async def _off(self, owner: Owner, _rest: str) -> str:
        await self._memories.turn(owner, on=False)
        return (
            "Memory is off for you: I neither learn nor recall. `/memory clear` forgets the rest."
        )

    async def _on(self, owner: Owner, _rest: str) -> str:
        await self._memories.turn(owner, on=True)
        return "Memory is on for you."

    async def _export(self, owner: Owner, _rest: str) -> str | Export:
        export = Export(await self._memories.export(owner))
        return export.short() or export


async def _changed(memories: Memories, owner: Owner, action: str, value: str) -> None:
    if action == CLEAR:
        await memories.clear(owner)
    elif action == SWITCH:
        await memories.turn(owner, on=value == "on")
    elif value.isascii() and value.isdigit():
        await memories.forget(owner, int(value[:9]))


async def _view(memories: Memories, owner: Owner) -> dict[str, Any]:
    async with asyncio.timeout(_SECONDS):
        found, total = await memories.page(owner, _IN_MODAL)
        return modal(found, total, on=await memories.enabled(owner))


def _clicker(body: Mapping[str, Any]) -> Owner:
    user: Mapping[str, Any] = body["user"]
    team: Mapping[str, Any] = body.get("team") or {}
    return Owner(str(team.get("id") or user.get("team_id")), str(user["id"]))
