"""What the tests of the chat client share."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.model import ChatMessage, Completion, ModelError, ToolSpec, User
from bot.model_http import ChatServers, HttpModel, http_model
from tests.chat_server import ChatServer

SEARCH = ToolSpec("search", "Search the runbooks.", {"type": "object", "properties": {}})
QUESTION: tuple[ChatMessage, ...] = (User("how?"),)


@asynccontextmanager
async def opened(*servers: ChatServer | str, **settings: Any) -> AsyncGenerator[HttpModel]:
    """The client of these servers, or addresses."""
    urls = tuple(each if isinstance(each, str) else each.url for each in servers)
    async with http_model(ChatServers(urls, "some-model", **settings)) as model:
        yield model


async def completed(
    *servers: ChatServer | str, tools: Sequence[ToolSpec] = (SEARCH,), **settings: Any
) -> Completion:
    """What the model says to a question."""
    async with opened(*servers, **settings) as model:
        return await model.complete(QUESTION, tools)


async def refusal(
    *servers: ChatServer | str,
    kind: type[ModelError],
    messages: Sequence[ChatMessage] = QUESTION,
    **settings: Any,
) -> str:
    """The sentence of a question that gets no answer, for this reason."""
    async with opened(*servers, **settings) as model:
        with pytest.raises(ModelError) as caught:
            await model.complete(messages, [SEARCH])
    assert type(caught.value) is kind, caught.value
    sentence = str(caught.value)
    assert sentence.startswith("The chat model at 127.0.0.1:")
    assert sentence.endswith(".")
    return sentence
