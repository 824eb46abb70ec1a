"""A member of the workspace: a person, a guest, a person of another team, or the bot."""

from dataclasses import dataclass

from bot.playground.wire import Json


@dataclass(frozen=True, slots=True)
class User:
    """A member. `name` is the handle, lower case; `real_name` is what the page shows.

    Guests are restricted, those of a single channel ultra restricted too; who was deactivated is
    `deleted`.
    """

    id: str
    name: str
    real_name: str
    team_id: str
    bot_id: str | None = None
    app_id: str | None = None
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    deleted: bool = False
    is_admin: bool = False

    @property
    def is_bot(self) -> bool:
        """Whether this member is an app's bot user."""
        return self.bot_id is not None

    def to_wire(self) -> Json:
        """The user object of `users.info` and `users.list`."""
        profile: Json = {
            "real_name": self.real_name,
            "display_name": self.real_name,
            "real_name_normalized": self.real_name,
            "display_name_normalized": self.real_name,
            "team": self.team_id,
        }
        if self.is_bot:
            profile |= {"bot_id": self.bot_id, "api_app_id": self.app_id}
        return {
            "id": self.id,
            "team_id": self.team_id,
            "name": self.name,
            "real_name": self.real_name,
            "deleted": self.deleted,
            "tz": "Etc/UTC",
            "tz_label": "UTC",
            "tz_offset": 0,
            "profile": profile,
            "is_admin": self.is_admin,
            "is_owner": False,
            "is_bot": self.is_bot,
            "is_app_user": False,
            "is_restricted": self.is_restricted,
            "is_ultra_restricted": self.is_ultra_restricted,
            "updated": 0,
        }
