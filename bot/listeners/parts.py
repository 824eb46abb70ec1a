"""What a listener works with. Each feature's file has `register(app, parts)`."""

from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.intake import Intake
from bot.jobs import Pool, Queue
from bot.settings import Settings
from bot.slack import Identity

__all__ = ["Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The process that receives from Slack: it may have neither embedder nor model.

    What needs those becomes a message in the inbox (`intake`) or a background task (`queue`).
    """

    pool: Pool
    queue: Queue
    client: AsyncWebClient
    identity: Identity
    intake: Intake
    settings: Settings
