"""What the page's drawers read: the traffic with the app, and what the app did for a thread."""

from collections.abc import Sequence

from bot.playground.services import Services
from bot.playground.snapshot import Offers
from bot.playground.wire import Json


class Behind:
    """The views behind the scenes."""

    def __init__(self, services: Services, offers: Offers) -> None:
        self.traffic = services.postings.courier.traffic
        self._log = services.postings.log
        self._offers: Offers = offers

    async def trace(self, channel: str, ts: str) -> Sequence[Json]:
        """The turns of the thread below a root; none when nobody can tell."""
        root = self._log.get(channel, ts)
        read = self._offers.stage.trace
        if root is None or read is None:
            return []
        return await read([root, *self._log.replies(channel, ts)])
