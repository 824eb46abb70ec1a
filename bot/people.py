"""Who somebody is, as Slack tells it: name, time zone, and what decides about their rights.

Kept for ten minutes. When Slack doesn't tell, nothing is allowed to whom we don't know, but a
missing name or time zone holds nobody up.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.person import Person

__all__ = ["People", "Person"]

_LOG = structlog.get_logger("footnote.people")
_KEPT_SECONDS = 600.0
_MOST_KEPT = 10_000
_SECONDS = 2.0  # below the three in which Slack wants its ack

# What Slack says of a user group that no later try will change.
_NOBODY = frozenset({"missing_scope", "no_such_subteam", "permission_denied"})


class People:
    """Looks people up by user id.

    `team` is our own workspace's id, `groups` are the ids of user groups that rights depend on.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        team: str,
        clock: Callable[[], float] = time.monotonic,
        *,
        groups: Collection[str] = (),
    ) -> None:
        self._client = client
        self._team = team
        self._clock = clock
        self._groups = groups
        self._members: dict[str, tuple[float, frozenset[str]]] = {}
        self._kept: dict[str, tuple[float, Person]] = {}

    async def person(self, user: str) -> Person:
        """Return who a user is, `unknown` as far as Slack doesn't tell in time.

        Of whom only the user groups aren't told, it is known whether they are an outsider.
        """
        until, kept = self._kept.get(user, (0.0, None))
        if kept is not None and self._clock() < until:
            return kept
        person = Person(user, unknown=True)
        try:
            async with asyncio.timeout(_SECONDS):
                response = await self._client.users_info(user=user)
                person = _person(user, response.get("user") or {}, self._team)
                groups = [each for each in self._groups if user in await self._of_group(each)]
        except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning("person_unknown", user=user, error=type(error).__name__)
            return replace(person, unknown=True)
        person = replace(person, groups=frozenset(groups))
        self._kept.pop(user, None)  # so that the last one told stands last
        self._kept[user] = (self._clock() + _KEPT_SECONDS, person)
        if len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return person

    async def _of_group(self, group: str) -> frozenset[str]:
        """Return who is in a user group; nobody, when there is none or the bot may not know."""
        until, kept = self._members.get(group, (0.0, frozenset[str]()))
        if self._clock() < until:
            return kept
        try:
            response = await self._client.usergroups_users_list(usergroup=group)
            members = frozenset(map(str, response.get("users") or []))
        except SlackApiError as error:
            if error.response.get("error") not in _NOBODY:
                raise
            _LOG.warning("group_unknown", group=group, error=error.response.get("error"))
            members = frozenset[str]()
        self._members[group] = (self._clock() + _KEPT_SECONDS, members)
        return members


def _person(user: str, told: Mapping[str, Any], team: str) -> Person:
    profile: Mapping[str, Any] = told.get("profile") or {}
    name = profile.get("display_name") or told.get("real_name") or told.get("name") or ""
    return Person(
        id=user,
        name=str(name),
        zone=str(told.get("tz") or "UTC"),
        admin=bool(told.get("is_admin") or told.get("is_owner")),
        guest=bool(told.get("is_restricted") or told.get("is_ultra_restricted")),
        stranger=bool(told.get("is_stranger")) or told.get("team_id") != team,
        deactivated=bool(told.get("deleted")),
    )
