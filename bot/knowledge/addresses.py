"""Which hosts may be fetched from: public addresses, unless the settings name a host inside.

A name is resolved once, all its addresses are checked, and the connection goes to one of those
that were checked: a name server that answers otherwise a moment later changes nothing.
"""

import socket
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

__all__ = ["Forbidden", "Hosts", "Resolver", "matches"]

_PORTS: Final = {"http": 80, "https": 443}
# What embeds an IPv4 address that the connection would end at (RFC 6052).
_NAT64: Final = ip_network("64:ff9b::/96")
# Public by its number, and yet the machine's own cloud: Azure's WireServer.
_PROVIDERS: Final = frozenset({ip_address("168.63.129.16")})

type _Address = IPv4Address | IPv6Address


class Forbidden(Exception):
    """An address that must not be fetched from; the message is the sentence that says why."""


@dataclass(frozen=True, slots=True)
class Hosts:
    """Which hosts may be asked, each `name`, `name:port` or `*.domain`.

    `only`: no others, when there are any. `inside`: these may have addresses of the own network,
    at the ports named.
    """

    only: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()

    def check(self, url: URL) -> None:
        """Refuse an address by what it says of itself.

        Raises:
            Forbidden: its scheme, user, host or port isn't allowed.
        """
        if url.scheme not in _PORTS or not url.raw_host:
            raise Forbidden("Only http and https addresses can be fetched.")
        if url.user or url.password:
            raise Forbidden("An address with a user or password in it isn't fetched: leave it out.")
        inside = _named(self.inside, url.raw_host, url.port)
        if self.only and not inside and not _named(self.only, url.raw_host, url.port):
            raise Forbidden(
                f"{url.raw_host} is not among the hosts that may be fetched from: whoever runs me"
                " can add it to FOOTNOTE_FETCH_HOSTS."
            )
        listed = inside or _named(self.only, url.raw_host, url.port, by_port=True)
        if url.port != _PORTS[url.scheme] and not listed:
            raise Forbidden(f"Port {url.port} isn't fetched from: only 80 and 443 are.")
        if (literal := _literal(url.raw_host)) is not None:
            self.check_address(url.raw_host, url.port or 0, literal)

    def check_address(self, host: str, port: int, address: _Address) -> None:
        """Refuse an address of the own network or machine, unless its host is one inside.

        Raises:
            Forbidden: it is one.
        """
        real = _embedded(address)
        if real.is_global and not real.is_multicast and real not in _PROVIDERS:
            return
        # Link-local addresses are where clouds keep a machine's credentials: never those.
        usable = not (real.is_link_local or real.is_multicast or real.is_unspecified)
        if usable and real not in _PROVIDERS and _named(self.inside, host, port):
            return
        raise Forbidden(
            f"{host} has an address inside a private network, so it isn't fetched: send me the"
            " page as a file instead."
        )


class Resolver(AbstractResolver):
    """Resolves names to addresses that may be connected to, or refuses."""

    def __init__(self, hosts: Hosts, inner: AbstractResolver) -> None:
        self._hosts: Hosts = hosts
        self._inner: AbstractResolver = inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return a name's addresses, all of them checked.

        Raises:
            Forbidden: one of them must not be connected to.
        """
        found = await self._inner.resolve(host, port, family)
        for each in found:
            self._hosts.check_address(host, port, ip_address(each["host"].partition("%")[0]))
        return found

    async def close(self) -> None:
        """Close what resolves."""
        await self._inner.close()


def matches(pattern: str, host: str, port: int | None, *, by_port: bool = False) -> bool:
    """Tell whether `name`, `name:port` or `*.domain` names a host; `by_port` with its port."""
    name, colon, number = pattern.lower().rpartition(":")
    if not colon or not number.isdigit() or name.endswith(":"):
        name, number = pattern.lower(), ""
    if (number and int(number) != port) or (by_port and not number):
        return False
    name, host = name.strip("[]"), host.lower().rstrip(".")
    return host.endswith(name[1:]) if name.startswith("*.") else host == name


def _named(
    patterns: Collection[str], host: str, port: int | None, *, by_port: bool = False
) -> bool:
    return any(matches(each, host, port, by_port=by_port) for each in patterns)


def _literal(host: str) -> _Address | None:
    try:
        return ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def _embedded(address: _Address) -> _Address:
    """Return where a connection really ends: IPv6 has several ways to write IPv4."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return (
        address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address
    )
