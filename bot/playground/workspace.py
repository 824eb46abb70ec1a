"""The workspace: its team, its members and its conversations."""

import time
from dataclasses import dataclass, replace

from bot.playground.changes import Changes
from bot.playground.channels import Channel
from bot.playground.errors import PlaygroundError
from bot.playground.users import User
from bot.playground.wire import Json, identifier


@dataclass(frozen=True, slots=True)
class Team:
    """The workspace's own name and id."""

    id: str
    name: str
    domain: str

    def to_wire(self) -> Json:
        """The team object of `team.info`."""
        return {"id": self.id, "name": self.name, "domain": self.domain, "email_domain": ""}


class Workspace:
    """Members and conversations of one team, with one bot. Lookups take ids or names."""

    def __init__(self, changes: Changes, bot_name: str, team_name: str = "Playground") -> None:
        self.changes: Changes = changes
        handle = bot_name.lower().replace(" ", "-")
        team_id = identifier("T", team_name)
        self.team: Team = Team(team_id, team_name, team_name.lower())
        self.bot: User = User(
            id=identifier("U", handle),
            name=handle,
            real_name=bot_name,
            team_id=team_id,
            bot_id=identifier("B", handle),
            app_id=identifier("A", handle),
        )
        self.users: dict[str, User] = {self.bot.id: self.bot}
        self.channels: dict[str, Channel] = {}
        self.groups: dict[str, list[str]] = {}

    def add_user(
        self,
        name: str,
        *,
        guest: bool = False,
        single_channel: bool = False,
        team: str = "",
        admin: bool = False,
    ) -> User:
        """A person; `guest` is a restricted member, `team` the id of another workspace."""
        handle = name.lower().replace(" ", "-")
        user = User(
            id=identifier("U", handle),
            name=handle,
            real_name=name,
            team_id=team or self.team.id,
            is_restricted=guest or single_channel,
            is_ultra_restricted=single_channel,
            is_admin=admin,
        )
        self.users[user.id] = user
        self.changes.touch()
        return user

    def add_group(self, name: str, members: list[str]) -> str:
        """A user group with these members (user ids); returns its id."""
        group = identifier("S", name)
        self.groups[group] = members
        return group

    def add_bot(self, name: str) -> User:
        """The bot user of another app, such as an alerting service."""
        handle = name.lower().replace(" ", "-")
        bot = User(
            id=identifier("U", handle),
            name=handle,
            real_name=name,
            team_id=self.team.id,
            bot_id=identifier("B", handle),
            app_id=identifier("A", handle),
        )
        self.users[bot.id] = bot
        self.changes.touch()
        return bot

    def add_channel(
        self, name: str, members: list[str], *, private: bool = False, with_bot: bool = True
    ) -> Channel:
        """A channel with these members (user ids)."""
        bare = name.lstrip("#")
        kind = "group" if private else "channel"
        channel = self.put_channel(Channel(identifier("C", bare), bare, kind, int(time.time())))
        for user_id in [*members, *([self.bot.id] if with_bot else [])]:
            channel = self.join(channel, user_id)
        return channel

    def put_channel(self, channel: Channel) -> Channel:
        """Store a channel or its new state."""
        self.channels[channel.id] = channel
        self.changes.touch()
        return channel

    def join(self, channel: Channel, user_id: str) -> Channel:
        """The channel with the user among its members; someone of another team makes it shared."""
        if channel.has(user_id):
            return channel
        team = self.users[user_id].team_id
        shared = channel.shared_with
        if team not in {self.team.id, *shared}:
            shared = [*shared, team]
        members = [*channel.members, user_id]
        return self.put_channel(replace(channel, members=members, shared_with=shared))

    def leave(self, channel: Channel, user_id: str) -> Channel:
        """The channel without the user."""
        members = [each for each in channel.members if each != user_id]
        return self.put_channel(replace(channel, members=members))

    def deactivate(self, user_id: str) -> User:
        """The member after being deactivated; their messages stay."""
        user = replace(self.users[user_id], deleted=True)
        self.users[user_id] = user
        self.changes.touch()
        return user

    def direct_messages(self, user_id: str) -> Channel:
        """The direct messages of a person and the bot, opened when new."""
        channel_id = identifier("D", user_id)
        found = self.channels.get(channel_id)
        if found is not None:
            return found
        return self.put_channel(
            Channel(
                channel_id, self.users[user_id].name, "im", int(time.time()), [user_id, self.bot.id]
            )
        )

    def group_messages(self, user_ids: list[str]) -> Channel:
        """The direct messages of several people and the bot, opened when new."""
        members = sorted({*user_ids, self.bot.id})
        name = "mpdm-" + "--".join(self.users[each].name for each in members) + "-1"
        found = self.channels.get(identifier("G", name))
        return found or self.put_channel(
            Channel(identifier("G", name), name, "mpim", int(time.time()), members)
        )

    def user(self, who: str) -> User:
        """The member with this id, handle or name; a leading @ is ignored."""
        wanted = who.lstrip("@")
        for user in self.users.values():
            if wanted == user.id or wanted.lower() in {user.name, user.real_name.lower()}:
                return user
        raise PlaygroundError(f"Nobody in this workspace is called {who!r}.")

    def channel(self, where: str) -> Channel:
        """The conversation with this id or channel name; a leading # is ignored."""
        wanted = where.lstrip("#")
        for channel in self.channels.values():
            if wanted == channel.id or (wanted == channel.name and not channel.is_im):
                return channel
        raise PlaygroundError(f"There is no channel {where!r} in this workspace.")

    def is_one_of_ours(self, user_id: str) -> bool:
        """Whether the id belongs to a known member."""
        return user_id in self.users
