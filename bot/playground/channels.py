"""A conversation: a public or private channel, or direct messages with the bot."""

from dataclasses import dataclass, field

from bot.playground.wire import Json


@dataclass(frozen=True, slots=True)
class Channel:
    """A conversation. `kind` is `channel`, `group` (private), `im` or `mpim`, as in `channel_type`.

    `shared_with` are the ids of other teams in it (Slack Connect).
    """

    id: str
    name: str
    kind: str
    created: int
    members: list[str] = field(default_factory=list)
    is_archived: bool = False
    shared_with: list[str] = field(default_factory=list)

    @property
    def is_im(self) -> bool:
        """Whether these are direct messages."""
        return self.kind == "im"

    @property
    def is_private(self) -> bool:
        """Whether only members may know of it."""
        return self.kind != "channel"

    def has(self, user_id: str) -> bool:
        """Whether the user is a member."""
        return user_id in self.members

    def to_wire(self, viewer: str, team_id: str) -> Json:
        """The conversation object as the user `viewer` gets it."""
        if self.is_im:
            others = [member for member in self.members if member != viewer]
            return {
                "id": self.id,
                "created": self.created,
                "is_im": True,
                "is_org_shared": False,
                "context_team_id": team_id,
                "user": (others or self.members)[0],
                "is_archived": False,
                "is_open": True,
            }
        return {
            "id": self.id,
            "name": self.name,
            "name_normalized": self.name,
            "created": self.created,
            "is_channel": self.kind == "channel",
            "is_group": self.kind in {"group", "mpim"},
            "is_im": False,
            "is_mpim": self.kind == "mpim",
            "is_private": self.is_private,
            "is_archived": self.is_archived,
            "is_general": self.name == "general",
            "is_shared": bool(self.shared_with),
            "is_ext_shared": bool(self.shared_with),
            "is_org_shared": False,
            "is_member": self.has(viewer),
            "num_members": len(self.members),
            "context_team_id": team_id,
            "topic": {"value": "", "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }
