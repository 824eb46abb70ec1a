"""A conversation: a public or private channel, or the direct messages of one person and the bot."""

from dataclasses import dataclass, field

from bot.playground.wire import Json


@dataclass(frozen=True, slots=True)
class Channel:
    """A conversation. `kind` is `channel`, `group` (private) or `im`, as in `channel_type`."""

    id: str
    name: str
    kind: str
    created: int
    members: list[str] = field(default_factory=list)

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
            "is_group": self.kind == "group",
            "is_im": False,
            "is_mpim": False,
            "is_private": self.is_private,
            "is_archived": False,
            "is_general": self.name == "general",
            "is_shared": False,
            "is_ext_shared": False,
            "is_org_shared": False,
            "is_member": self.has(viewer),
            "num_members": len(self.members),
            "context_team_id": team_id,
            "topic": {"value": "", "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }
