"""The checks of `footnote doctor`: what is configured, what answers, what to do about the rest."""

import asyncio
import platform
import time
from collections.abc import AsyncGenerator

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot import overview
from bot.database import Database
from bot.errors import BotError
from bot.finding import Finding
from bot.model import ModelError, User
from bot.model_servers import open_embedder, open_model, open_reranker, open_transcriber
from bot.refusals import name
from bot.settings import Settings
from bot.slack import check_app_token, identify, open_client, required
from bot.threshold import threshold
from bot.tools import Registry
from bot.voice import NotAudio, TranscriberDown
from bot.voice.silence import silence
from retrieval.documents import Passage
from retrieval.errors import RetrievalError
from retrieval.store import Store
from schema import Installed, SchemaError, check, engine_named, inspect, migrate, open_pool

__all__ = ["Finding", "examine"]

_PROBES = tuple(
    Passage(text, text, text, text, "", "", None, "", "", None, text)
    for text in ("It is alive.", "Invoices are mailed on Mondays.")
)


async def examine(settings: Settings, database: Database) -> AsyncGenerator[Finding]:
    """Check everything, one thing after the other; one that fails doesn't stop the rest."""
    where = await asyncio.to_thread(platform.platform)  # it reads files, or starts a program
    yield Finding("python", "ok", f"{platform.python_version()} on {where}")
    yield _configuration(settings, database)
    known = await _table_size(database)
    embedder, size = await _embedder(settings, known)
    yield embedder
    yield await _reranker(settings)
    yield await _model(settings)
    yield await _transcriber(settings)
    if settings.model_url:
        yield await _tools()
    async for finding in _database(settings, database, size if size is not None else known):
        yield finding
    async for finding in _slack(settings):
        yield finding


def _configuration(settings: Settings, database: Database) -> Finding:
    where = f"embedded, in {database.server.data_dir}" if database.server else "given by URL"
    model = settings.model if settings.model_url else "none (answers are quotations)"
    detail = f"database {where}; chat model {model}; Slack over {settings.slack_mode}"
    return Finding("configuration", "ok", detail)


async def _table_size(database: Database) -> int | None:
    """Return the dimensions of the stored vectors, None also when the database is down."""
    try:
        return (await inspect(database.url)).vector_size
    except SchemaError:
        return None  # the check of the database says why


async def _embedder(settings: Settings, known: int | None) -> tuple[Finding, int | None]:
    """Return what the embedder does, and the dimensions it has when it works."""
    began = time.perf_counter()
    try:
        async with open_embedder(settings, size_when_down=known) as embedder:
            loaded = time.perf_counter()
            await embedder.embed_query("is it alive?")
            took = (time.perf_counter() - loaded) * 1000
            detail = (
                f"{embedder.name}, {embedder.size} dimensions, opened in"
                f" {loaded - began:.1f} s, a question in {took:.0f} ms"
            )
            return Finding("embedder", "ok", detail), embedder.size
    except (BotError, RetrievalError) as error:
        return Finding("embedder", "failure", "doesn't work", str(error)), None


async def _reranker(settings: Settings) -> Finding:
    if settings.reranker_url is None:
        return Finding("reranker", "ok", "none set, the fused order is kept")
    try:
        async with open_reranker(settings) as reranker:
            began = time.perf_counter()
            await reranker.rerank("is it alive?", _PROBES)
            took = (time.perf_counter() - began) * 1000
            detail = f"{reranker.name}, shape {settings.reranker_shape}, two texts in {took:.0f} ms"
            return Finding("reranker", "ok", detail)
    except RetrievalError as error:
        return Finding("reranker", "failure", "doesn't work", str(error))


async def _model(settings: Settings) -> Finding:
    try:
        async with open_model(settings) as model:
            if model is None:
                return Finding("chat model", "ok", "none set, answers are quotations")
            said = await model.complete([User("Say yes.")], max_tokens=16)
    except (BotError, ModelError) as error:
        return Finding("chat model", "failure", "doesn't work", str(error))
    detail = f"{said.model} at {said.server}, a few words in {said.milliseconds:.0f} ms"
    return Finding("chat model", "ok", detail)


async def _transcriber(settings: Settings) -> Finding:
    try:
        async with open_transcriber(settings) as transcriber:
            if transcriber is None:
                return Finding("voice", "ok", "no transcriber, audio clips are not listened to")
            began = time.perf_counter()
            await transcriber.transcribe(silence(seconds=1))
            took = time.perf_counter() - began
    except (NotAudio, TranscriberDown) as error:
        return Finding("voice", "failure", "doesn't work", str(error))
    return Finding("voice", "ok", f"{transcriber.name}, a second of silence in {took:.1f} s")


async def _tools() -> Finding:
    tools = await asyncio.to_thread(Registry.found)
    named = ", ".join(tools.names)
    if tools.left_out:
        return Finding("tools", "warning", named, " ".join(tools.left_out))
    return Finding("tools", "ok", named)


async def _database(
    settings: Settings, database: Database, size: int | None
) -> AsyncGenerator[Finding]:
    try:
        if database.server is not None and size is not None:
            await migrate(database.url, vector_size=size, engine=settings.engine)
        facts = await inspect(database.url)
        names = ("vector", "pg_search", "vchord", "vchord_bm25", "pg_tokenizer")
        have = ", ".join(f"{n} {facts.installed[n]}" for n in names if n in facts.installed)
        yield Finding(
            "database", "ok", f"PostgreSQL {facts.server}, extensions: {have or 'none of ours'}"
        )
        if size is None:
            yield Finding(
                "schema",
                "failure",
                "not set up, and only the embedder knows how many dimensions it takes",
                "Make the embedder answer, then run `footnote migrate`.",
            )
            return
        installed = await check(database.url, vector_size=size)
        yield _schema(installed)
    except SchemaError as error:
        yield Finding("database", "failure", "can't be used", str(error))
        return
    async with open_pool(database.url, engine=installed.engine, max_size=4) as pool:
        store = Store(pool, engine_named(installed.engine))
        documents, chunks = await store.counts()
        kinds = await store.kinds()
        services = ", ".join(sorted({kind.service for kind in kinds})[:12])
        yield (
            Finding("corpus", "ok", f"{documents} documents, {chunks} chunks; services: {services}")
            if documents
            else Finding(
                "corpus", "warning", "no documents yet", "Add some: `footnote ingest FOLDER`."
            )
        )
        yield await threshold(settings, pool)
        async with pool.connection() as connection:
            report = await overview.read(connection)
        failed = report["messages"].get("failed", 0)
        waiting = report["messages"].get("pending", 0)
        yield (
            Finding("queue", "warning", f"{failed} messages failed", "See `footnote jobs`.")
            if failed
            else Finding("queue", "ok", f"{waiting} messages wait, none failed")
        )


def _schema(installed: Installed) -> Finding:
    detail = f"engine {installed.engine}, vectors of {installed.vector_size}"
    if installed.engine != "vchord":
        return Finding("schema", "ok", detail)
    tokenizer = "is" if "pg_tokenizer" in installed.extensions else "isn't"
    return Finding(
        "schema",
        "warning",
        f"{detail}; pg_tokenizer {tokenizer} there, and isn't needed",
        "The engine vchord is unverified: it was never run on a real VectorChord server. Compare "
        "what it finds, and tell us; FOOTNOTE_ENGINE=sql on a new database does without it.",
    )


async def _slack(settings: Settings) -> AsyncGenerator[Finding]:
    if settings.slack_bot_token is None:
        yield Finding(
            "slack",
            "warning",
            "no workspace connected",
            "Follow “Connect a workspace” in the README, or try `make demo`.",
        )
        return
    try:
        async with open_client(settings) as client:
            identity = await identify(client)
            yield Finding("slack", "ok", f"bot {identity.bot_user} in {identity.team_name}")
            for group in sorted(settings.rules.user_groups):
                yield await _user_group(client, group)
            if settings.slack_mode == "socket":
                await check_app_token(client, settings)
                yield Finding("socket", "ok", "the app-level token opens a socket")
            else:
                required(
                    settings.slack_signing_secret,
                    "FOOTNOTE_SLACK_SIGNING_SECRET",
                    "the Signing Secret under Basic Information",
                )
                yield Finding("http", "ok", f"Slack's requests on {settings.host}:{settings.port}")
    except BotError as error:
        yield Finding("slack", "failure", "doesn't let us in", str(error))


async def _user_group(client: AsyncWebClient, group: str) -> Finding:
    """Return whether Slack tells who is in a user group that has rights."""
    try:
        response = await client.usergroups_users_list(usergroup=group)
    except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
        reason = name(error) if isinstance(error, SlackApiError) else type(error).__name__
        advice = {
            "missing_scope": "Add the scope usergroups:read as in manifest.yml, and install the app"
            " again.",
            "no_such_subteam": "See that its id is right in FOOTNOTE_MAY_…, and not its @name.",
        }.get(reason, "Try again later.")
        detail = f"{group} isn't known ({reason}), so nobody has a right by it"
        return Finding("user group", "warning", detail, advice)
    members = len(response.get("users") or [])
    return Finding("user group", "ok", f"{group} has rights; members: {members}")
