"""What payloads of all interactions have in common, and how they get to the app."""

from bot.playground.channels import Channel
from bot.playground.deliveries import INTERACTIONS, Delivery, NotAcknowledged
from bot.playground.people.receipts import Receipt
from bot.playground.response_urls import ResponseUrls
from bot.playground.services import Services
from bot.playground.users import User
from bot.playground.views import View
from bot.playground.wire import Json

CHANNEL_NAMES = {"im": "directmessage", "mpim": "mpdm", "group": "privategroup"}


class Interactions:
    """Builds payloads and sends them."""

    def __init__(self, services: Services, response_urls: ResponseUrls) -> None:
        self.services: Services = services
        self.response_urls: ResponseUrls = response_urls
        self.workspace = services.postings.workspace

    def payload(self, kind: str, user: User, *, may_open: bool = True) -> Json:
        """The fields of every interaction; a trigger_id when it may open a view."""
        common: Json = {
            "type": kind,
            "token": "playground",
            "user": {
                "id": user.id,
                "username": user.name,
                "name": user.name,
                "team_id": user.team_id,
            },
            "api_app_id": self.workspace.bot.app_id,
            "team": {"id": self.workspace.team.id, "domain": self.workspace.team.domain},
            "enterprise": None,
            "is_enterprise_install": False,
        }
        if may_open:
            common["trigger_id"] = self.services.triggers.new(user.id)
        return common

    def channel(self, channel: Channel) -> Json:
        """The `channel` of a payload."""
        return {"id": channel.id, "name": CHANNEL_NAMES.get(channel.kind, channel.name)}

    def view(self, view: View) -> Json:
        """The `view` of a payload."""
        bot, team = self.workspace.bot, self.workspace.team
        return self.services.views.to_wire(view, team.id, bot.app_id or "", bot.bot_id or "")

    def files_of(self, user: User) -> list[Json]:
        """The files a person can put into a form: their own."""
        files = self.services.files
        return [files.to_wire(each) for each, _ in files.everything() if each.user == user.id]

    async def ask(self, payload: Json, kind: str = INTERACTIONS) -> Receipt:
        """Send once and wait for the acknowledgement, three seconds at most."""
        try:
            return Receipt(answer=await self.services.postings.courier.ask(Delivery(kind, payload)))
        except NotAcknowledged as problem:
            late = problem.reason in {"timeout", "http_timeout"}
            return Receipt("operation_timeout" if late else "dispatch_failed")
