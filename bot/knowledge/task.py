"""The background task that ingests what was asked for in Slack, and shows what came of it.

Each step is noted before the next: whoever goes on after a death does what is left, knows the
version that was there before all of it, and changes the same message.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog
from psycopg import Error
from psycopg_pool import PoolTimeout
from slack_sdk.web.async_client import AsyncWebClient

from bot import channel_settings
from bot.jobs import Pool, Queue
from bot.knowledge import requests
from bot.knowledge.audience import Audiences
from bot.knowledge.board import Board, CantPost
from bot.knowledge.download import Downloads
from bot.knowledge.fetch import Fetcher, NotFetched
from bot.knowledge.receipts import progress, receipt
from bot.knowledge.requests import Connection, Item, Request
from bot.knowledge.results import Result, State
from bot.knowledge.versions import Version, compare, sections, version
from bot.pace import InLine, Pace
from bot.people import People
from bot.policy import Rules, refusal
from bot.refusals import RateLimited
from bot.untrusted import findings
from retrieval.catalogue import Catalogue, Piece
from retrieval.embedding import Embedder
from retrieval.errors import EmbedderDown, QueryFailed, RetrievalError
from retrieval.ingest import ingest
from retrieval.prepared import document_id
from retrieval.sources import Labels, Source
from retrieval.store import Store

__all__ = ["INGEST", "TIDY", "Ingesting"]

INGEST: Final = "ingest_request"
"""The background task that does a request, given its id."""

TIDY: Final = "tidy_corpus"
"""The background task that brings the indexes in order after a deletion."""

_LOG = structlog.get_logger("footnote.knowledge")
_ATTEMPTS: Final = 5
_STALE_SECONDS: Final = 60.0
_BROKE_OFF: Final = (
    "Something failed on my side each time that I tried, so this wasn't ingested: try again later."
)
_DELETED: Final = "It was deleted in the meantime, so I didn't fetch it again."


@dataclass(frozen=True, slots=True)
class Ingesting:
    """Does requests. All but the rules is opened and closed elsewhere."""

    pool: Pool
    queue: Queue
    store: Store
    embedder: Embedder
    catalogue: Catalogue
    client: AsyncWebClient
    people: People
    fetcher: Fetcher
    pace: Pace
    rules: Rules

    def offer(self) -> None:
        """Let the queue know the tasks."""
        self.queue.background(INGEST, self.run)
        self.queue.background(TIDY, self.tidy)

    async def tidy(self) -> None:
        """Bring the indexes in order."""
        await self.store.maintain()

    async def keep_going(self) -> None:
        """Until cancelled: take up what was left lying when its worker died once too often."""
        while True:
            await asyncio.sleep(_STALE_SECONDS / 2)
            try:
                async with self.pool.connection() as connection, connection.transaction():
                    for request in await requests.stale(connection, _STALE_SECONDS):
                        await self.queue.later(connection, INGEST, request=request)
            except (Error, PoolTimeout) as error:
                _LOG.warning("stale_requests_not_read", error=type(error).__name__)

    async def run(self, request: str) -> None:
        """Do a request, unless it is done or somebody else is at it."""
        async with (
            self.pool.connection() as connection,
            requests.alone(connection, request) as free,
        ):
            taken = await requests.take_up(connection, request) if free else None
            if taken is None:
                return
            try:
                await self._do(connection, taken)
            except InLine as line:
                await self._again(connection, request, line.wake_seconds)
            except RateLimited as pause:
                if pause.posts:
                    await self.pace.hold(connection, taken.channel, pause.seconds)
                await self._again(connection, request, pause.seconds)

    async def _again(self, connection: Connection, request: str, seconds: float) -> None:
        """Go on with a request later, and let others work meanwhile. This was no attempt."""
        await requests.rest(connection, request, seconds)
        _LOG.info("ingest_in_line", request=request, seconds=round(seconds, 1))
        await self.queue.later(connection, INGEST, seconds, request=request)

    async def _do(self, connection: Connection, request: Request) -> None:
        board = Board(self.client, request)
        if sentence := await self._refused(connection, request):
            await board.tell_author(sentence)
            await requests.finish(connection, request.id)
            _LOG.info("ingest_refused", request=request.id, user=request.author)
            return
        items = await requests.items(connection, request.id)
        try:
            if request.message_ts is None:
                await self._come(connection, request, board)
            opening = progress(0, len(items), _shown(items[0]), "Reading")
            ts = await board.open(*opening)
        except CantPost:
            await board.tell_not_here()
            await requests.finish(connection, request.id)
            return
        await requests.posted(connection, request.id, ts)
        audience = await Audiences(self.client).of(request.channel, request.seen_by)
        results: list[Result] = []
        for item in items:
            result = item.result
            if result is None:
                await board.progress(*progress(len(results), len(items), _shown(item), "Reading"))
                result = await self._settled(connection, request, item, audience)
                await requests.settle(connection, request.id, item.position, result)
            results.append(result)
        await board.last(*receipt(request.author, results))
        await requests.finish(connection, request.id)
        states = [each.state for each in results]
        _LOG.info("ingest_done", request=request.id, attempt=request.attempts, states=states)

    async def _come(self, connection: Connection, request: Request, board: Board) -> None:
        """Wait for the time of a request's message, unless it is far off: its author is told so."""
        place = await self.pace.place(connection, request.channel, request.posts_at)
        if place.new:
            await requests.line_up(connection, request.id, place.at)
        try:
            await self.pace.come(connection, place)
        except InLine as line:
            if place.new:
                await board.tell_author(line.sentence("I begin"))
            raise

    async def _refused(self, connection: Connection, request: Request) -> str | None:
        person = await self.people.person(request.author)
        settings = await channel_settings.read(connection, request.team, request.channel)
        return refusal(person, "ingest", settings.rules(self.rules))

    async def _settled(
        self, connection: Connection, request: Request, item: Item, audience: str | None
    ) -> Result:
        """Return what an item comes to; what may work when tried again is raised."""
        name = _shown(item)
        if request.attempts > _ATTEMPTS:
            return Result("failed", name, _BROKE_OFF)
        if request.refreshes and await requests.gone(connection, request.refreshes):
            return Result("failed", name, _DELETED)
        try:
            source = await self._source(request, item, audience)
            return await self._ingested(connection, request, item, source)
        except NotFetched as error:
            return Result("failed", name, str(error))
        except (EmbedderDown, QueryFailed):
            raise
        except RetrievalError as error:
            return Result("failed", name, str(error))

    async def _source(self, request: Request, item: Item, audience: str | None) -> Source:
        """Return what is to be ingested, with its name and how it is read."""
        place = f"slack/{request.channel}"
        link: str | None = None
        match item.kind:
            case "url":
                page = await self.fetcher.fetch(item.location)
                name, file_name, content = page.address, page.name, page.content
                link = page.address
            case "file":
                file = await Downloads(self.client).get(item.location)
                name, file_name, content = f"{place}/{file.name}", file.name, file.content
                link = file.link
            case "thread":
                name = f"{place}/thread-{item.location}.md"
                file_name, content = name, (item.text or "").encode()
                told = await self.client.chat_getPermalink(
                    channel=request.channel, message_ts=item.location
                )
                link = told.get("permalink")
        labels = Labels(
            service=request.service,
            doc_type=request.doc_type,
            title=item.title,
            link=link,
            team=request.team,
            audience=audience,
        )
        return Source(name, content, labels, file_name=file_name)

    async def _ingested(
        self, connection: Connection, request: Request, item: Item, source: Source
    ) -> Result:
        identity = document_id(request.team, source.labels.audience, source.name)
        now = version(await self.catalogue.pieces(identity))
        before = await requests.begun(connection, request.id, item.position, identity, now)
        report = await ingest(self.store, self.embedder, [source])
        if report.failed:
            return Result("failed", _shown(item), report.failed[0].reason)
        (entry,) = await self.catalogue.named([identity])
        pieces = await self.catalogue.pieces(identity)
        after = version(pieces)
        return Result(
            state=_state(before, after),
            name=_shown(item),
            document=identity,
            audience=entry.audience,
            title=entry.title,
            service=entry.service,
            doc_type=entry.doc_type,
            link=entry.link,
            sections=len(after),
            chunks=len(pieces),
            pages_without_text=tuple(entry.pages_without_text),
            duplicates=tuple(
                await requests.duplicates(connection, identity, request.team, entry.audience)
            ),
            suspicious=await asyncio.to_thread(_suspicious, pieces, entry.title),
            changes=compare(before, after),
        )


def _state(before: Version, after: Version) -> State:
    if not before:
        return "added"
    return "unchanged" if dict(before) == dict(after) else "changed"


def _suspicious(pieces: list[Piece], title: str) -> tuple[str, ...]:
    """Return the headings below which something could be taken for an instruction."""
    found = (heading or title for heading, text in sections(pieces) if findings(text))
    return tuple(dict.fromkeys(found))


def _shown(item: Item) -> str:
    """Return what to call an item before it is read."""
    if item.kind == "url":
        return item.location
    return item.title or {"file": "the file", "thread": "the thread"}[item.kind]
