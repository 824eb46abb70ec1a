"""An answer that one person sees, by the address that came with a command or click, or beside it.

Slack keeps no message that only one person sees, so none can be looked for. An attempt that died
between showing it and noting that is made again: it may be seen twice, and is never lost.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.delivery import in_some_form
from bot.inbox import Message
from bot.refusals import RateLimited, pause
from bot.replies import Reply, forms

__all__ = ["Whispers"]

_LOG = structlog.get_logger("footnote.whispers")


class Whispers:
    """Shows replies to whoever asked, and nobody else."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def answer(self, message: Message, replies: Sequence[Reply]) -> None:
        """Show a reply, which may have several parts.

        The address works for half an hour, also in a channel that the bot isn't in; what it
        doesn't take any more is shown as the bot shows it where it is.

        Raises:
            Undeliverable: Slack refuses for good.
            RateLimited: Slack wants a pause first.
        """
        for reply in replies:
            if not await self._by_address(message, reply):
                await self._by_post(message, reply)

    async def _by_address(self, message: Message, reply: Reply) -> bool:
        if message.response_url is None:
            return False
        webhook = AsyncWebhookClient(message.response_url, session=self._client.session)
        try:
            for form in forms(reply):
                response = await webhook.send(**form, response_type="ephemeral")
                if response.status_code == HTTPStatus.OK:
                    return True
                if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
                    raise RateLimited(pause(response.headers))
                if "url" in response.body:  # used up, or too old: no form of it will do
                    return False
        except (aiohttp.ClientError, TimeoutError, SlackClientError) as error:
            _LOG.warning("not_shown_by_address", error=type(error).__name__)
        return False

    async def _by_post(self, message: Message, reply: Reply) -> None:
        async def post(**form: Any) -> str:
            response = await self._client.chat_postEphemeral(
                channel=message.channel, user=message.author, **form
            )
            return str(response.get("message_ts"))

        await in_some_form(reply, post)
