"""What people do in the workspace: write, change and take back messages, use commands, click."""

import secrets
from dataclasses import dataclass, replace
from typing import Any, cast

from bot.playground.channels import Channel
from bot.playground.composer import encode, escape, rich_text
from bot.playground.deliveries import COMMANDS, INTERACTIONS, Delivery, NotAcknowledged
from bot.playground.errors import PlaygroundError
from bot.playground.messages import Message
from bot.playground.response_urls import ResponseUrls
from bot.playground.services import Services
from bot.playground.users import User
from bot.playground.wire import Json

SYSTEM_USER = "USLACKBOT"
"""The author of the service's own remarks, under the id Slack uses."""
COMMAND_NAMES = {"im": "directmessage", "group": "privategroup"}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of a command or a click. `error` is Slack's name of what went wrong, or empty."""

    error: str = ""
    answer: Json | None = None

    @property
    def acknowledged(self) -> bool:
        """Whether the app acknowledged in time."""
        return not self.error


class People:
    """The hands of everybody in the workspace. Users and channels are given by id or name."""

    def __init__(
        self, services: Services, response_urls: ResponseUrls, commands: frozenset[str]
    ) -> None:
        self._services: Services = services
        self._postings = services.postings
        self._workspace = services.postings.workspace
        self._response_urls: ResponseUrls = response_urls
        self._commands: frozenset[str] = commands

    def place(self, user: User, where: str) -> Channel:
        """The channel meant by a name, an id, or `dm` (also `@` and the bot's name)."""
        bot = self._workspace.bot
        if where.lower().lstrip("@") in {"dm", bot.name, bot.real_name.lower(), bot.id.lower()}:
            return self._workspace.direct_messages(user.id)
        channel = self._workspace.channel(where)
        if not channel.has(user.id):
            if channel.is_private:
                raise PlaygroundError(f"{user.real_name} is not in {channel.name}.")
            channel = self._workspace.join(channel, user.id)
        return channel

    def post(self, who: str, where: str, typed: str, thread_ts: str | None = None) -> Message:
        """Write a message, in a thread when `thread_ts` names its root (or a reply in it)."""
        user = self._workspace.user(who)
        channel = self.place(user, where)
        text = encode(typed, self._workspace)
        if not text.strip():
            raise PlaygroundError("An empty message cannot be sent.")
        return self._postings.publish(
            Message(
                ts=self._postings.clock.next_ts(),
                channel=channel.id,
                user=user.id,
                text=text,
                thread_ts=None if thread_ts is None else self._message(channel, thread_ts).root_ts,
                blocks=rich_text(text),
                client_msg_id=secrets.token_hex(16),
            )
        )

    def integration(self, name: str, where: str, text: str, blocks: list[Json]) -> Message:
        """Post as another app's bot, such as an alerting service; often without a text."""
        bot = self._workspace.add_bot(name)
        channel = self._workspace.channel(where)
        return self._postings.publish(
            Message(
                ts=self._postings.clock.next_ts(),
                channel=channel.id,
                user=bot.id,
                text=text,
                blocks=blocks,
                bot_id=bot.bot_id,
                app_id=bot.app_id,
            )
        )

    def edit(self, where: str, ts: str, typed: str) -> Message:
        """Change one's own message."""
        old = self._message(self._workspace.channel(where), ts)
        text = encode(typed, self._workspace)
        edited = {"user": old.user, "ts": self._postings.clock.next_ts()}
        new = replace(old, text=text, blocks=rich_text(text), edited=edited)
        return self._postings.change(old, new)

    def delete(self, where: str, ts: str) -> None:
        """Take one's own message back."""
        self._postings.remove(self._message(self._workspace.channel(where), ts))

    async def command(
        self, who: str, where: str, command: str, typed: str = "", thread_ts: str | None = None
    ) -> Receipt:
        """Use a slash command; refused in threads, as Slack does."""
        user = self._workspace.user(who)
        channel = self.place(user, where)
        if thread_ts is not None:
            self._remark(user, channel, f"{command} is not supported in threads. Sorry!", thread_ts)
            return Receipt("not_supported_in_threads")
        if self._commands and command not in self._commands:
            self._remark(user, channel, f"{command} is not a valid command.")
            return Receipt("unknown_command")
        payload: Json = {
            "token": "playground",
            "team_id": self._workspace.team.id,
            "team_domain": self._workspace.team.domain,
            "channel_id": channel.id,
            "channel_name": COMMAND_NAMES.get(channel.kind, channel.name),
            "user_id": user.id,
            "user_name": user.name,
            "command": command,
            "text": escape(typed),
            "api_app_id": self._workspace.bot.app_id,
            "is_enterprise_install": "false",
            "response_url": self._response_urls.new(user.id, channel.id),
            "trigger_id": self._services.triggers.new(user.id),
        }
        receipt = await self._ask(Delivery(COMMANDS, payload))
        if receipt.error:
            self._remark(user, channel, f'{command} failed with the error "{receipt.error}"')
        elif receipt.answer and (receipt.answer.get("text") or receipt.answer.get("blocks")):
            self._response_urls.answer(payload["response_url"].rpartition("/")[2], receipt.answer)
        return receipt

    async def click(
        self, who: str, where: str, ts: str, action_id: str, value: str | None = None
    ) -> Receipt:
        """Click an interactive element of a message; `value` picks among several of one id."""
        user = self._workspace.user(who)
        channel = self.place(user, where)
        message = self._message(channel, ts)
        action = _find_action(message, action_id, value)
        action["action_ts"] = self._postings.clock.next_ts()
        hidden = message.ephemeral_to is not None
        container: Json = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": channel.id,
            "is_ephemeral": hidden,
        }
        if message.thread_ts is not None:
            container["thread_ts"] = message.thread_ts
        thread = message.thread_ts if message.is_reply else None
        payload = self._interaction("block_actions", user) | {
            "container": container,
            "channel": {"id": channel.id, "name": COMMAND_NAMES.get(channel.kind, channel.name)},
            "state": {"values": {}},
            "response_url": self._response_urls.new(user.id, channel.id, message.ts, thread),
            "actions": [action],
        }
        if not hidden:
            payload["message"] = message.to_wire(self._workspace.team.id)
        return await self._ask(Delivery(INTERACTIONS, payload))

    async def message_shortcut(self, who: str, where: str, ts: str, callback_id: str) -> Receipt:
        """Use a shortcut from a message's menu."""
        user = self._workspace.user(who)
        channel = self.place(user, where)
        message = self._message(channel, ts)
        thread = message.thread_ts if message.is_reply else None
        payload = self._interaction("message_action", user) | {
            "callback_id": callback_id,
            "action_ts": self._postings.clock.next_ts(),
            "message_ts": message.ts,
            "channel": {"id": channel.id, "name": channel.name},
            "message": message.to_wire(self._workspace.team.id),
            "response_url": self._response_urls.new(user.id, channel.id, None, thread),
        }
        return await self._ask(Delivery(INTERACTIONS, payload))

    def close_views(self, who: str) -> None:
        """Close the modals a person sees."""
        self._services.views.close(self._workspace.user(who).id)

    def _interaction(self, kind: str, user: User) -> Json:
        return {
            "type": kind,
            "token": "playground",
            "user": {
                "id": user.id,
                "username": user.name,
                "name": user.name,
                "team_id": user.team_id,
            },
            "api_app_id": self._workspace.bot.app_id,
            "team": {"id": self._workspace.team.id, "domain": self._workspace.team.domain},
            "enterprise": None,
            "is_enterprise_install": False,
            "trigger_id": self._services.triggers.new(user.id),
        }

    async def _ask(self, delivery: Delivery) -> Receipt:
        try:
            return Receipt(answer=await self._postings.courier.ask(delivery))
        except NotAcknowledged as problem:
            late = problem.reason in {"timeout", "http_timeout"}
            return Receipt("operation_timeout" if late else "dispatch_failed")

    def _remark(
        self, user: User, channel: Channel, text: str, thread_ts: str | None = None
    ) -> None:
        """A line only this user sees, from the service itself."""
        ts = self._postings.clock.next_ts()
        self._postings.publish(
            Message(ts, channel.id, SYSTEM_USER, text, thread_ts, ephemeral_to=user.id)
        )

    def _message(self, channel: Channel, ts: str) -> Message:
        message = self._postings.log.get(channel.id, ts)
        if message is None:
            raise PlaygroundError(f"There is no message {ts} in {channel.name}.")
        return message


def _find_action(message: Message, action_id: str, value: str | None) -> Json:
    """The `actions` entry of a click on the element with this id (and value)."""
    for block in message.blocks:
        elements: list[Any] = [*(block.get("elements") or []), block.get("accessory")]
        for element in elements:
            if not isinstance(element, dict):
                continue
            for choice in _choices(cast("Json", element)):
                if choice["action_id"] == action_id and value in {None, choice.get("value")}:
                    return {"block_id": block.get("block_id"), **choice}
    raise PlaygroundError(f"Message {message.ts} has nothing to click with the id {action_id!r}.")


def _choices(element: Json) -> list[Json]:
    """What one element offers to click: itself, both feedback buttons, or each option."""
    kind, action_id = element.get("type"), element.get("action_id", "")
    base: Json = {"type": kind, "action_id": action_id}
    if kind == "feedback_buttons":
        buttons = [element.get("positive_button") or {}, element.get("negative_button") or {}]
        return [base | {"text": each.get("text"), "value": each.get("value")} for each in buttons]
    if element.get("options"):
        return [
            base | {"selected_option": option, "value": option.get("value")}
            for option in element["options"]
        ]
    kept = {key: element[key] for key in ("text", "value", "url", "style") if key in element}
    return [base | kept]
