"""Files that people shared in Slack. The bot's token goes to Slack's own hosts and nowhere else."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from math import inf
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.knowledge.fetch import NotFetched
from retrieval.connection import storable
from retrieval.readers.kinds import MAX_BYTES

__all__ = ["Downloaded", "Downloads", "Most"]

_LOG = structlog.get_logger("footnote.knowledge")
_SECONDS: Final = 60.0
_GONE: Final = frozenset({"file_not_found", "file_deleted", "not_visible", "access_denied"})


@dataclass(frozen=True, slots=True)
class Most:
    """How large a file may be, and how long a recording; `advice` is for whoever sent more."""

    size: int = MAX_BYTES
    seconds: float = inf
    advice: str = "split it into smaller documents"


_DOCUMENT: Final = Most()


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file's name, what it holds, and where it is seen in Slack."""

    name: str
    content: bytes
    link: str | None


class Downloads:
    """Downloads files with the bot's token."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def get(self, file_id: str, most: Most = _DOCUMENT) -> Downloaded:
        """Return a file.

        Raises:
            NotFetched: it isn't there, lies elsewhere, or is too large.
        """
        told = await self._info(file_id)
        name = storable(str(told.get("name") or file_id))
        if told.get("mode") == "external" or told.get("is_external"):
            raise NotFetched(
                f"{name} lies outside Slack: give me its address with `/ingest URL`, or upload it."
            )
        if int(told.get("size") or 0) >= most.size:
            raise NotFetched(_too_large(name, most))
        if float(told.get("duration_ms") or 0) > most.seconds * 1000:
            raise NotFetched(f"{name} is longer than {most.seconds:g} seconds: {most.advice}.")
        address = str(told.get("url_private_download") or told.get("url_private") or "")
        if not self._is_slacks(address):
            _LOG.warning("file_elsewhere", file=file_id, host=urlsplit(address).hostname)
            raise NotFetched(f"{name} doesn't lie at Slack, so I don't fetch it: upload it here.")
        content = await self._content(name, address, most)
        link = told.get("permalink")
        return Downloaded(name, content, str(link) if link else None)

    async def _info(self, file_id: str) -> Mapping[str, Any]:
        try:
            return (await self._client.files_info(file=file_id)).get("file") or {}
        except SlackApiError as error:
            data = getattr(error.response, "data", None)
            if isinstance(data, dict) and data.get("error") in _GONE:
                raise NotFetched(
                    "I can't see that file (any more): share it in a channel that I am in."
                ) from error
            raise

    async def _content(self, name: str, address: str, most: Most) -> bytes:
        session = self._client.session
        if session is None:
            raise ValueError("The client has to be opened with a session.")
        headers = {"Authorization": f"Bearer {self._client.token}"}
        body = bytearray()
        try:
            async with (
                asyncio.timeout(_SECONDS),
                session.get(address, headers=headers, allow_redirects=False) as response,
            ):
                if response.status != HTTPStatus.OK:
                    raise NotFetched(_not_given(name))
                # To a token that it doesn't like Slack shows a page to sign in, with status 200.
                page = response.content_type == "text/html"
                if page and not name.lower().endswith((".html", ".htm", ".xhtml")):
                    raise NotFetched(_not_given(name))
                async for piece in response.content.iter_chunked(64_000):
                    body += piece
                    if len(body) >= most.size:
                        raise NotFetched(_too_large(name, most))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise NotFetched(f"{name} didn't come from Slack in time: try again.") from error
        return bytes(body)

    def _is_slacks(self, address: str) -> bool:
        """Tell whether an address is Slack's, or of the host that stands in for it."""
        here, place = urlsplit(self._client.base_url), urlsplit(address)
        if (place.scheme, place.netloc) == (here.scheme, here.netloc):
            return True
        host = place.hostname or ""
        slacks = host == "slack.com" or host.endswith(".slack.com")
        return place.scheme == "https" and slacks and place.port in {None, 443}


def _too_large(name: str, most: Most) -> str:
    return f"{name} has {most.size // 1_000_000} MB or more: {most.advice}."


def _not_given(name: str) -> str:
    return f"Slack doesn't give me {name}: see that my app has the scope files:read."
