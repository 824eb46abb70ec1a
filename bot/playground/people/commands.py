"""Slash commands."""

from bot.playground.composer import escape
from bot.playground.deliveries import COMMANDS
from bot.playground.errors import ApiError
from bot.playground.people.interactions import Interactions
from bot.playground.people.places import Places
from bot.playground.people.receipts import Receipt
from bot.playground.wire import Json


class Commands:
    """Runs slash commands. `known` are those of the app; empty takes every command."""

    def __init__(self, interactions: Interactions, places: Places, known: frozenset[str]) -> None:
        self._interactions: Interactions = interactions
        self._places: Places = places
        self._known: frozenset[str] = known

    async def run(
        self, who: str, where: str, command: str, typed: str = "", thread_ts: str | None = None
    ) -> Receipt:
        """Use a slash command; refused in threads, as Slack does."""
        user = self._places.user(who)
        channel = self._places.writable(user, where)
        if thread_ts is not None:
            sentence = f"{command} is not supported in threads. Sorry!"
            self._places.remark(user, channel, sentence, thread_ts)
            return Receipt("not_supported_in_threads")
        if self._known and command not in self._known:
            self._places.remark(user, channel, f"{command} is not a valid command.")
            return Receipt("unknown_command")
        workspace = self._interactions.workspace
        described = self._interactions.channel(channel)
        payload: Json = {
            "token": "playground",
            "team_id": workspace.team.id,
            "team_domain": workspace.team.domain,
            "channel_id": described["id"],
            "channel_name": described["name"],
            "user_id": user.id,
            "user_name": user.name,
            "command": command,
            "text": escape(typed),
            "api_app_id": workspace.bot.app_id,
            "is_enterprise_install": "false",
            "response_url": self._interactions.response_urls.new(user.id, channel.id),
            "trigger_id": self._interactions.services.triggers.new(user.id),
        }
        receipt = await self._interactions.ask(payload, COMMANDS)
        error = receipt.error
        if receipt.answer and (receipt.answer.get("text") or receipt.answer.get("blocks")):
            error = self._say(payload, receipt.answer)
        if error:
            self._places.remark(user, channel, f'{command} failed with the error "{error}"')
            return Receipt(error)
        return receipt

    def _say(self, payload: Json, answer: Json) -> str:
        """Show what came with the acknowledgement; returns Slack's error if it can't be shown."""
        try:
            self._interactions.response_urls.answer(
                payload["response_url"].rpartition("/")[2], answer
            )
        except ApiError as problem:
            return problem.code
        return ""
