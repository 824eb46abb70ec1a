"""What a listener works with. Each feature's file has `register(app, parts)`."""

from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.intake import Intake
from bot.jobs import Pool, Queue
from bot.people import People
from bot.places import Places
from bot.settings import Settings
from bot.slack import Identity

__all__ = ["POOL_SECONDS", "Parts"]

POOL_SECONDS = 2.0
"""How long a listener waits for the database: below the three in which Slack wants its ack."""


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
    people: People
    places: Places
