"""The models that are set: servers of the user's, else what comes with us. No chat model does.

What speaks to servers is imported where one is set: httpx and what stands on it would be a tenth
of a command's start.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot.errors import BadSetting
from bot.settings import Settings
from bot.voice import Transcriber
from bot.voice.whisper import Whisper, is_installed
from retrieval.embedding import BUNDLED_SIZE, Embedder, bundled_embedder
from retrieval.rerank import KeepOrder, Reranker
from schema import inspect

if TYPE_CHECKING:
    from bot.model_http import HttpModel

__all__ = ["open_embedder", "open_model", "open_reranker", "open_transcriber", "vector_size"]

_MOST_TOKENS = 2048  # of one completion, and at most a quarter of what the model reads


@asynccontextmanager
async def open_embedder(
    settings: Settings, *, size_when_down: int | None = None
) -> AsyncGenerator[Embedder]:
    """Open the embedder; a server is asked for its dimensions, once.

    Args:
        settings: the settings.
        size_when_down: the dimensions of the table, to go on with when a server is down.

    Raises:
        BadSetting: a server without a model's name.
        EmbedderDown: the server doesn't answer, and the table has no dimensions yet.
        WeightsDamaged: the bundled model can't be loaded.
    """
    if settings.embedder_url is None:
        async with bundled_embedder() as embedder:
            yield embedder
        return
    if settings.embedder_model is None:
        raise BadSetting(
            "FOOTNOTE_EMBEDDER_MODEL is not set: name the model that the server at "
            "FOOTNOTE_EMBEDDER_URL shall use."
        )
    from retrieval.embedding_http import EmbeddingServer, http_embedder  # noqa: PLC0415 - above

    server = EmbeddingServer(
        url=str(settings.embedder_url),
        model=settings.embedder_model,
        api_key=_value(settings.embedder_api_key),
        query_prefix=settings.embedder_query_prefix,
        document_prefix=settings.embedder_document_prefix,
        batch=settings.embedder_batch,
        timeout=settings.embedder_timeout,
    )
    async with http_embedder(server, size_when_down=size_when_down) as embedder:
        yield embedder


@asynccontextmanager
async def open_reranker(settings: Settings) -> AsyncGenerator[Reranker]:
    """Open the reranker; without a server the fused order is kept."""
    if settings.reranker_url is None:
        yield KeepOrder()
        return
    from retrieval.rerank_http import RerankingServer, http_reranker  # noqa: PLC0415 - above

    server = RerankingServer(
        url=str(settings.reranker_url),
        shape=settings.reranker_shape,
        model=settings.reranker_model,
        api_key=_value(settings.reranker_api_key),
        timeout=settings.reranker_timeout,
    )
    async with http_reranker(server) as reranker:
        yield reranker


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncGenerator["HttpModel | None"]:
    """Open the chat model, or None when none is set; nothing is asked yet.

    Raises:
        BadSetting: a server without a model's name.
    """
    if not settings.model_url:
        yield None
        return
    if settings.model is None:
        raise BadSetting(
            "FOOTNOTE_MODEL is not set: name the model that the server at FOOTNOTE_MODEL_URL "
            "shall use."
        )
    from bot.model_http import ChatServers, http_model  # noqa: PLC0415 - above

    servers = ChatServers(
        urls=tuple(map(str, settings.model_url)),
        model=settings.model,
        api_key=_value(settings.model_api_key),
        timeout=settings.model_timeout,
        max_tokens=min(_MOST_TOKENS, settings.model_context // 4),
        temperature=settings.model_temperature,
    )
    async with http_model(servers) as model:
        yield model


@asynccontextmanager
async def open_transcriber(settings: Settings) -> AsyncGenerator[Transcriber | None]:
    """Open what listens to audio clips: the server that is set, else the extra where it is."""
    if settings.transcriber_url is not None:
        from bot.voice import transcriber_http as voice  # noqa: PLC0415 - above

        server = voice.TranscribingServer(
            url=str(settings.transcriber_url),
            model=settings.transcriber_model,
            api_key=_value(settings.transcriber_api_key),
            timeout=settings.transcriber_timeout,
        )
        async with voice.http_transcriber(server) as transcriber:
            yield transcriber
        return
    installed = await asyncio.to_thread(is_installed)
    yield Whisper(settings.transcriber_timeout) if installed else None


async def vector_size(settings: Settings, database_url: str) -> int:
    """Return the dimensions to migrate a database for, without loading a model.

    A server is asked only when the database has no table yet: what it gives is held against
    the table where vectors are made, and receiving questions takes no embedder.

    Raises:
        BadSetting, EmbedderDown: as `open_embedder`.
        DatabaseDown: the database doesn't answer.
    """
    if settings.embedder_url is None:
        return BUNDLED_SIZE
    known = (await inspect(database_url)).vector_size
    if known is not None:
        return known
    async with open_embedder(settings) as embedder:
        return embedder.size


def _value(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value().strip() if secret is not None else None
