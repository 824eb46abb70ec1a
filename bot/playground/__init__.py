"""A Slack on loopback, so that the real bot can be tried without a workspace.

`Playground` is the whole of it: an async context manager that serves Slack's Web API and Socket
Mode to one unmodified app, and a web page to people.
"""

from bot.playground.backstage import Backstage, Switch, Tour
from bot.playground.credentials import Credentials
from bot.playground.errors import PlaygroundError
from bot.playground.faults import Faults, Hold, When
from bot.playground.messages import Message
from bot.playground.people import Person, Receipt
from bot.playground.playground import Playground

__all__ = [
    "Backstage",
    "Credentials",
    "Faults",
    "Hold",
    "Message",
    "Person",
    "Playground",
    "PlaygroundError",
    "Receipt",
    "Switch",
    "Tour",
    "When",
]
