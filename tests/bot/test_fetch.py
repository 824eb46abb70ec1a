"""Fetching pages: only from outside, whatever names, redirects and servers try."""

import socket
from collections.abc import AsyncIterator
from ipaddress import ip_address

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from bot.knowledge.addresses import Forbidden, Hosts, matches
from bot.knowledge.fetch import NotFetched, address_of, open_fetcher, suffix_for
from tests.bot.knowledge_server import Site, serving

PAGE = "<h1>Restart</h1><p>Restart the ledger with care.</p>"
METADATA = "169.254.169.254"


class Names(AbstractResolver):
    """A name server whose answers change from one question to the next; the last one stays."""

    def __init__(self, *answers: str) -> None:
        self.answers: list[str] = list(answers)
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Give the next answer: addresses between commas."""
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            ResolveResult(
                hostname=host,
                host=each,
                port=port,
                family=family,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for each in answer.split(",")
        ]

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """A web server on this machine."""
    async with serving() as opened:
        yield opened


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "100.100.100.200",
        METADATA,
        "168.63.129.16",
        "0.0.0.0",  # noqa: S104  # it is refused
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
    ],
)
async def test_no_address_of_the_own_network_is_connected_to(address: str) -> None:
    """Literally or behind a name: loopback, private, link-local, metadata."""
    hosts = Hosts()
    with pytest.raises(Forbidden):
        hosts.check_address("wiki.example", 443, ip_address(address))
    literal = f"[{address}]" if ":" in address else address
    with pytest.raises(Forbidden):
        hosts.check(URL(f"http://{literal}/"))
    async with open_fetcher(hosts, Names(f"93.184.216.34,{address}")) as fetcher:
        with pytest.raises(NotFetched, match="private network"):
            await fetcher.fetch("http://wiki.example/page")


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://017700000001/",
        "http://①②⑦.⓪.⓪.①/",
        "http://[::ffff:7f00:1]/",
    ],
)
async def test_odd_spellings_of_this_machine_are_seen_through(url: str) -> None:
    """What the system's resolver takes for 127.0.0.1 is refused, with the real resolver."""
    async with open_fetcher(Hosts()) as fetcher:
        with pytest.raises(NotFetched, match=r"private network|doesn't answer"):
            await fetcher.fetch(url)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://docs.example/a",
        "file:///etc/passwd",
        "gopher://docs.example/",
        "javascript:alert(1)",
        "http://user:secret@docs.example/",
        "http://docs.example:22/",
        "https://docs.example:6379/",
        "http://",
        "not an address",
        "https://docs.example/" + "a" * 3_000,
    ],
)
async def test_other_schemes_ports_and_credentials_are_refused(url: str) -> None:
    """Each with one sentence, before any name is looked up."""
    names = Names("93.184.216.34")
    async with open_fetcher(Hosts(), names) as fetcher:
        with pytest.raises(NotFetched) as refused:
            await fetcher.fetch(url)
    assert str(refused.value).endswith(".")
    assert names.asked == []


async def test_a_page_is_fetched_from_a_host_inside_that_is_named(site: Site) -> None:
    """With its host and port in the settings, and only then; the fragment is no part of it."""
    url = site.put("/restart", PAGE)
    async with open_fetcher(Hosts(inside=(site.host,))) as fetcher:
        page = await fetcher.fetch(f"{url}#now")
    assert (page.address, page.name, page.content) == (url, "restart.html", PAGE.encode())
    for hosts in (Hosts(), Hosts(only=("127.0.0.1",)), Hosts(inside=("127.0.0.1:1",))):
        async with open_fetcher(hosts) as fetcher:
            with pytest.raises(NotFetched):
                await fetcher.fetch(url)
    assert site.asked == ["/restart"]


async def test_a_name_that_changes_its_address_is_checked_each_time(site: Site) -> None:
    """DNS rebinding: the redirect's name resolves to the metadata address by then."""
    site.move("/page", f"http://wiki.example:{site.port}/next")
    site.put("/next", PAGE)
    hosts = Hosts(inside=(f"wiki.example:{site.port}",))
    names = Names("127.0.0.1", METADATA)
    async with open_fetcher(hosts, names) as fetcher:
        with pytest.raises(NotFetched, match="private network"):
            await fetcher.fetch(f"http://wiki.example:{site.port}/page")
    assert site.asked == ["/page"]


async def test_the_connection_goes_to_the_address_that_was_checked(site: Site) -> None:
    """A name is asked for once in a request: there is no second answer to connect to."""
    site.put("/page", PAGE)
    names = Names("127.0.0.1", METADATA)
    async with open_fetcher(Hosts(inside=(f"wiki.example:{site.port}",)), names) as fetcher:
        page = await fetcher.fetch(f"http://wiki.example:{site.port}/page")
    assert page.content == PAGE.encode()
    assert names.asked == ["wiki.example"]


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.1:1/",
        f"http://{METADATA}/latest/meta-data/",
        "http://localhost/",
        "file:///etc/passwd",
        "http://user:secret@93.184.216.34/",
        "//10.0.0.1/",
    ],
)
async def test_each_redirect_is_checked(site: Site, to: str) -> None:
    """A page outside can't lead inside, by any scheme or host."""
    async with open_fetcher(Hosts(inside=(site.host,))) as fetcher:
        with pytest.raises(NotFetched):
            await fetcher.fetch(site.move("/away", to))


async def test_redirects_are_followed_but_not_for_ever(site: Site) -> None:
    """Relative ones, too; the document keeps the address that was asked for."""
    site.put("/end.md", "# End", "text/markdown")
    site.move("/b", "end.md", 308)
    url = site.move("/a", "/b")
    site.move("/loop", "/loop")
    async with open_fetcher(Hosts(inside=(site.host,))) as fetcher:
        page = await fetcher.fetch(url)
        assert (page.address, page.name) == (url, "end.md")
        with pytest.raises(NotFetched, match="more than 5 times"):
            await fetcher.fetch(site.url("/loop"))


async def test_only_some_hosts_may_be_named(site: Site) -> None:
    """With an allow-list nothing else is fetched, public or not."""
    site.put("/a.txt", "text", "text/plain")
    listed = Hosts(only=("docs.example", "*.wiki.example"), inside=(site.host,))
    listed.check(URL("https://docs.example/a"))
    listed.check(URL("https://team.wiki.example/a"))
    for url in ("https://evil.example/", "https://wiki.example/", "https://docs.example.evil/"):
        with pytest.raises(Forbidden, match="FOOTNOTE_FETCH_HOSTS"):
            listed.check(URL(url))
    async with open_fetcher(listed) as fetcher:
        assert (await fetcher.fetch(site.url("/a.txt"))).name == "a.txt"


async def test_what_cant_be_read_is_said_in_a_sentence(site: Site) -> None:
    """Types, sizes, logins, missing pages and servers that are down: each says what to do."""
    large = site.put("/large", b"x" * 25_000_001, "text/plain")
    cases = {
        site.put("/photo", b"...", "image/png"): "can't be read",
        large: "25 MB",
        site.put("/secret", "", status=401): "login",
        site.url("/none"): "no page",
        site.put("/down", "", status=503): "HTTP 503",
    }
    async with open_fetcher(Hosts(inside=("127.0.0.1",))) as fetcher:
        for url, words in cases.items():
            with pytest.raises(NotFetched, match=words):
                await fetcher.fetch(url)
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            with pytest.raises(NotFetched, match="doesn't answer"):
                await fetcher.fetch(f"http://127.0.0.1:{closed.getsockname()[1]}/")


async def test_a_body_that_unpacks_hugely_is_cut_off(site: Site) -> None:
    """Compressed against our wish, it is measured as it unpacks."""
    zipped = aiohttp.compression_utils.ZLibCompressor(encoding="gzip")
    packed = zipped.compress_sync(b"0" * 30_000_000) + zipped.flush()
    url = site.put("/bomb", packed, "text/plain", headers={"Content-Encoding": "gzip"})
    assert len(packed) < 100_000
    async with open_fetcher(Hosts(inside=(site.host,))) as fetcher:
        with pytest.raises(NotFetched, match="25 MB"):
            await fetcher.fetch(url)


def test_how_a_page_is_read_follows_from_its_type() -> None:
    """The type says it; a type that says little leaves it to the address."""
    assert suffix_for("text/html; charset=utf-8", "/page.php") == ".html"
    assert suffix_for("text/plain", "/run.md") == ".md"
    assert suffix_for("text/plain", "/raw/notes") == ".txt"
    assert suffix_for("application/octet-stream", "/a.pdf") == ".pdf"
    assert suffix_for("application/octet-stream", "/a.exe") is None
    assert suffix_for("video/mp4", "/a.md") is None
    assert suffix_for("text/x-rst", "/a") == ".rst"


def test_addresses_as_slack_writes_them() -> None:
    """Angle brackets and labels are Slack's; the fragment is a place in the page."""
    assert address_of("<https://docs.example/a?b=c#d|docs>") == "https://docs.example/a?b=c"
    with pytest.raises(NotFetched):
        address_of("docs.example")


def test_hosts_by_name_port_and_domain() -> None:
    """A pattern never matches a longer name than it says."""
    assert matches("docs.example", "DOCS.example.", 443)
    assert matches("docs.example:8443", "docs.example", 8443)
    assert not matches("docs.example:8443", "docs.example", 443)
    assert matches("*.example", "a.b.example", 443)
    assert not matches("*.example", "notexample", 443)
    assert matches("::1", "::1", 80)
