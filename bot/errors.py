"""What can go wrong around the bot, each a sentence that says what to do about it."""

__all__ = ["BadInput", "BadSetting", "BotError", "PortInUse", "SlackRefused", "SlackUnreachable"]


class BotError(Exception):
    """Something a person can mend; the message is one sentence that says how."""


class BadSetting(BotError):
    """A setting is missing or can't be used."""


class BadInput(BotError):
    """A command was given something that it can't use."""


class SlackRefused(BotError):
    """Slack doesn't accept a token."""


class SlackUnreachable(BotError):
    """Slack doesn't answer."""


class PortInUse(BotError):
    """Another program listens on the port."""
