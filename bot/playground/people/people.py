"""The rooms by which people act, in one place."""

from dataclasses import dataclass
from typing import Self

from bot.playground.people.clicks import Clicks
from bot.playground.people.commands import Commands
from bot.playground.people.interactions import Interactions
from bot.playground.people.modals import Modals
from bot.playground.people.places import Places
from bot.playground.people.shortcuts import Shortcuts
from bot.playground.people.sight import Sight
from bot.playground.people.writing import Writing
from bot.playground.response_urls import ResponseUrls
from bot.playground.services import Services


@dataclass(frozen=True, slots=True)
class People:
    """The hands and eyes of everybody in the workspace."""

    places: Places
    writing: Writing
    commands: Commands
    clicks: Clicks
    shortcuts: Shortcuts
    modals: Modals
    sight: Sight

    @classmethod
    def of(cls, services: Services, response_urls: ResponseUrls, commands: frozenset[str]) -> Self:
        """The people of one stand-in; `commands` are the app's, empty for any."""
        places = Places(services.postings)
        interactions = Interactions(services, response_urls)
        clicks = Clicks(interactions, places)
        return cls(
            places=places,
            writing=Writing(services.postings, places, services.files),
            commands=Commands(interactions, places, commands),
            clicks=clicks,
            shortcuts=Shortcuts(interactions, places),
            modals=Modals(interactions, places, clicks),
            sight=Sight(interactions, places),
        )
