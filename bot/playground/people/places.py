"""Who acts, and where: the lookups behind everything a person does."""

from bot.playground.channels import Channel
from bot.playground.errors import PlaygroundError
from bot.playground.messages import Message
from bot.playground.postings import Postings
from bot.playground.users import User

SYSTEM_USER = "USLACKBOT"
"""The author of the service's own remarks, under the id Slack uses."""


class Places:
    """Finds people, conversations and messages by id or name, as a person may reach them."""

    def __init__(self, postings: Postings) -> None:
        self._postings: Postings = postings
        self._workspace = postings.workspace

    def user(self, who: str) -> User:
        """The member who acts."""
        user = self._workspace.user(who)
        if user.deleted:
            raise PlaygroundError(f"{user.real_name} was deactivated and can do nothing here.")
        return user

    def channel(self, user: User, where: str) -> Channel:
        """The conversation meant by a name, an id, or `dm` (also `@` and the bot's name).

        A member of the team joins a public channel by acting there; guests and people of other
        teams are asked in.
        """
        bot = self._workspace.bot
        if where.lower().lstrip("@") in {"dm", bot.name, bot.real_name.lower(), bot.id.lower()}:
            return self._workspace.direct_messages(user.id)
        channel = self._workspace.channel(where)
        if channel.has(user.id):
            return channel
        if channel.is_private or user.is_restricted or user.team_id != self._workspace.team.id:
            raise PlaygroundError(f"{user.real_name} is not in {channel.name}.")
        return self._workspace.join(channel, user.id)

    def writable(self, user: User, where: str) -> Channel:
        """The same, for writing: an archived channel takes nothing new."""
        channel = self.channel(user, where)
        if channel.is_archived:
            raise PlaygroundError(f"{channel.name} is archived.")
        return channel

    def message(self, channel: Channel, ts: str) -> Message:
        """A message of this conversation."""
        message = self._postings.log.get(channel.id, ts)
        if message is None:
            raise PlaygroundError(f"There is no message {ts} in {channel.name}.")
        return message

    def remark(
        self, user: User, channel: Channel, text: str, thread_ts: str | None = None
    ) -> Message:
        """Show this user, and nobody else, a line from the service itself."""
        ts = self._postings.clock.next_ts()
        return self._postings.publish(
            Message(ts, channel.id, SYSTEM_USER, text, thread_ts, ephemeral_to=user.id)
        )
