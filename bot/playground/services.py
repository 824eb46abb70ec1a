"""Everything a Web API method may use, in one place."""

from dataclasses import dataclass

from bot.playground.credentials import Credentials
from bot.playground.faults import Faults
from bot.playground.files import Files
from bot.playground.links import Links
from bot.playground.postings import Postings
from bot.playground.rates import Rates
from bot.playground.socket_mode import SocketMode
from bot.playground.streams import Streams
from bot.playground.triggers import Triggers
from bot.playground.views import Views


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one running stand-in."""

    postings: Postings
    socket: SocketMode
    triggers: Triggers
    views: Views
    files: Files
    streams: Streams
    links: Links
    rates: Rates
    faults: Faults
    credentials: Credentials
