"""Fetching a page or a file by its address, from the outside only, with bounds on everything.

No proxy, no cookies, no credentials; each redirect is checked as the first address was.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Final

import aiohttp
from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from aiohttp.abc import AbstractResolver
from yarl import URL

from bot.knowledge.addresses import Forbidden, Hosts, Resolver
from retrieval.readers.kinds import SUFFIXES

__all__ = ["Fetched", "Fetcher", "NotFetched", "address_of", "open_fetcher", "suffix_for"]

_LARGEST: Final = 25_000_000  # bytes
_SECONDS: Final = 30.0
_REDIRECTS: Final = 5
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_LONGEST: Final = 2_000  # characters of an address
_HEADERS: Final = {
    "User-Agent": "Footnote (reads pages that a person asked it to)",
    "Accept": "text/html,text/markdown,text/plain,application/pdf;q=0.9,*/*;q=0.5",
    # A small body that unpacks into a huge one is none of our business.
    "Accept-Encoding": "identity",
}

_TYPES: Final[Mapping[str, str]] = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/x-rst": ".rst",
    "text/asciidoc": ".adoc",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "application/yaml": ".yaml",
    "application/x-yaml": ".yaml",
    "text/yaml": ".yaml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}
# Types that say little: the address's own suffix says more, when it is one that is read.
_VAGUE: Final = frozenset({"text/plain", "application/octet-stream", "binary/octet-stream", ""})


class NotFetched(Exception):
    """There is nothing to read at an address; the message is the sentence that says why."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What stands at an address. `name` ends in the suffix that says how to read it."""

    address: str
    name: str
    content: bytes


class Fetcher:
    """Fetches addresses that the hosts allow."""

    def __init__(self, session: ClientSession, hosts: Hosts) -> None:
        self._session: ClientSession = session
        self._hosts: Hosts = hosts

    async def fetch(self, address: str) -> Fetched:
        """Return what stands at an address.

        Raises:
            NotFetched: nothing that can be read stands there, or it must not be fetched.
        """
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._follow(URL(address_of(address)))
        except Forbidden as error:
            raise NotFetched(str(error)) from error
        except TimeoutError as error:
            raise NotFetched(
                f"The page didn't come within {_SECONDS:.0f} seconds: try again, or send it to me"
                " as a file."
            ) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise NotFetched(
                "The address doesn't answer: check it, or send me the page as a file."
            ) from error

    async def _follow(self, url: URL) -> Fetched:
        first = url
        for _ in range(_REDIRECTS + 1):
            self._hosts.check(url)
            async with self._session.get(url, allow_redirects=False, headers=_HEADERS) as response:
                if response.status in _MOVED and (place := response.headers.get("Location")):
                    url = url.join(URL(place)).with_fragment(None)
                    continue
                if response.status != HTTPStatus.OK:
                    raise NotFetched(_refused(response.status))
                suffix = suffix_for(response.content_type, url.path)
                if suffix is None:
                    raise NotFetched(
                        f"The page is of a kind that can't be read ({response.content_type})."
                    )
                content = await _bounded(response)
            return Fetched(str(first), _name(url, suffix), content)
        raise NotFetched(f"The page moved more than {_REDIRECTS} times: give its last address.")


def address_of(text: str) -> str:
    """Return a web address as it identifies a document: without its fragment.

    Raises:
        NotFetched: it is none.
    """
    text = text.strip().strip("<>").partition("|")[0]
    if len(text) > _LONGEST or not re.match(r"https?://[^\s/]", text, re.IGNORECASE):
        raise NotFetched("That is no web address: it begins with https:// and has no spaces.")
    try:
        url = URL(text).with_fragment(None)
    except ValueError as error:
        raise NotFetched("That is no web address that I can read: check it.") from error
    return str(url)


def suffix_for(content_type: str, path: str) -> str | None:
    """Return the suffix that says how to read a response; None when it can't be read."""
    said = PurePosixPath(path).suffix.lower()
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _VAGUE:
        if said in SUFFIXES:
            return said
        return ".txt" if kind == "text/plain" else None
    if kind in _TYPES:
        return _TYPES[kind]
    return said if said in SUFFIXES and kind.startswith("text/") else None


@asynccontextmanager
async def open_fetcher(
    hosts: Hosts, names: AbstractResolver | None = None
) -> AsyncGenerator[Fetcher]:
    """Open a fetcher with connections of its own; `names` resolves instead of the system."""
    resolver = Resolver(hosts, names or aiohttp.ThreadedResolver())
    connector = TCPConnector(
        resolver=resolver, use_dns_cache=False, force_close=True, limit_per_host=2
    )
    async with ClientSession(
        connector=connector,
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(total=_SECONDS, sock_connect=10),
        auto_decompress=True,
        trust_env=False,
    ) as session:
        try:
            yield Fetcher(session, hosts)
        finally:
            await resolver.close()


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """Read a body, unpacked, up to the largest size."""
    if (response.content_length or 0) > _LARGEST:
        raise NotFetched(_too_large())
    body = bytearray()
    async for piece in response.content.iter_chunked(64_000):
        body += piece
        if len(body) > _LARGEST:
            raise NotFetched(_too_large())
    return bytes(body)


def _too_large() -> str:
    return f"The page has more than {_LARGEST // 1_000_000} MB: split it into smaller ones."


def _refused(status: int) -> str:
    match status:
        case 401 | 403:
            return "The page wants a login, and I have none: send it to me as a file."
        case 404 | 410:
            return "There is no page at that address (any more): check it."
        case _:
            return f"The page can't be had just now (HTTP {status}): try again later."


def _name(url: URL, suffix: str) -> str:
    """Return a file name that says what the page is called, and how to read it."""
    stem = PurePosixPath(url.path).stem or url.host or "page"
    return f"{stem}{suffix}"
