"""`/footnote`: the command with verbs. Each verb is a function that says something to its user."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.respond.async_respond import AsyncRespond

from bot.listeners.clicks import in_time
from bot.listeners.command import Command, Said
from bot.listeners.gaps import gaps_for
from bot.listeners.parts import Parts
from bot.listeners.settings_form import open_settings
from bot.listeners.shelf import documents
from bot.listeners.telling import DATABASE_DOWN
from bot.mrkdwn import escape

__all__ = ["VERBS", "register"]

type Verb = Callable[[Parts, Command], Awaitable[Said]]


def register(app: AsyncApp, parts: Parts) -> None:
    """Add the command."""

    @app.command("/footnote")
    async def footnote(ack: AsyncAck, command: Mapping[str, Any], respond: AsyncRespond) -> None:
        asked = Command.of(command)
        verb = VERBS.get(asked.verb)
        if verb is None:
            known = ", ".join(f"`{name}`" for name in VERBS)
            await ack(f"I don't know “{escape(asked.verb[:40])}”. Try {known}.")
            return
        async with in_time(lambda: verb(parts, asked)) as done:
            said = done[0] if done else Said(DATABASE_DOWN)
            await ack(text=said.text, blocks=said.blocks or None)
            if said.then is not None:
                await said.then(respond)

    del footnote  # Bolt has it


async def _help(_parts: Parts, _command: Command) -> Said:
    return Said(
        "Mention me, write me a direct message, or use `/ask QUESTION service:NAME type:NAME`.\n"
        "`/ask -q QUESTION` – only you see the answer, and may share it with the channel.\n"
        "`/filter` shows, sets or clears what is searched in this channel.\n"
        "`/footnote settings` – how I listen here: mentions, threads, all questions, alerts.\n"
        "`/footnote settings SERVICE` – who owns a service's documents, and who is on call.\n"
        "`/footnote documents [WORDS]` – what there is to search here, to refresh or delete.\n"
        "`/footnote gaps` – what was asked here and not answered.\n"
        "In a channel I read mentions only, unless its settings say otherwise; in a thread where"
        " I was asked, and in direct messages, no mention is needed.\n"
        "In a thread: “mute” makes me quiet until the next mention, “stop” ends what I'm doing."
    )


async def _gaps(parts: Parts, command: Command) -> Said:
    return Said(
        "What was asked and not answered", await gaps_for(parts, command.user, command.channel)
    )


VERBS: dict[str, Verb] = {
    "help": _help,
    "settings": open_settings,
    "documents": documents,
    "gaps": _gaps,
}
"""The verbs by name, in the order in which they are named."""
