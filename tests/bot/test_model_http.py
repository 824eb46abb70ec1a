"""The chat client: what is sent, what comes back, by which server, and when it gives up."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.model import Assistant, System, ToolCall, ToolResult, ToolSpec, Usage, User
from bot.model_http import ChatServers, HttpModel, http_model
from tests.chat_server import ChatServer, chat_server, tool_call

SEARCH = ToolSpec("search", "Search the runbooks.", {"type": "object", "properties": {}})


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    """A server that says what the test tells it to."""
    async with chat_server() as running:
        yield running


@asynccontextmanager
async def opened(*servers: ChatServer, **settings: Any) -> AsyncGenerator[HttpModel]:
    """The client of these servers."""
    urls = tuple(each.url for each in servers)
    async with http_model(ChatServers(urls, "some-model", **settings)) as model:
        yield model


async def test_a_conversation_with_a_tool(server: ChatServer) -> None:
    """A call comes back as the model wrote it; the result and the history are sent in its form."""
    server.calls("search", {"query": "rollback"})
    server.says("Roll back with `deployctl`. [S1a]")
    asked = [System("Cite."), User("how?")]
    async with opened(server) as model:
        first = await model.complete(asked, [SEARCH])
        assert first.calls == (ToolCall("call_1", "search", '{"query": "rollback"}'),)
        assert (first.text, first.finish) == ("", "tools")
        said = Assistant(first.text, first.calls)
        result = ToolResult("call_1", "search", "deployctl rollback")
        second = await model.complete([*asked, said, result], [SEARCH])
    assert (second.text, second.calls, second.finish) == (
        "Roll back with `deployctl`. [S1a]",
        (),
        "stop",
    )
    assert second.usage == Usage(11, 7)
    assert (second.model, second.server) == ("some-model", server.url.removeprefix("http://"))
    assert second.first_token_ms is not None
    assert 0 < second.first_token_ms <= second.milliseconds
    sent = server.asked[1]
    assert sent.messages[:2] == [
        {"role": "system", "content": "Cite."},
        {"role": "user", "content": "how?"},
    ]
    assert sent.messages[2]["tool_calls"] == [tool_call("search", {"query": "rollback"})]
    assert sent.messages[3] == {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": "deployctl rollback",
    }
    assert sent.body["tools"][0]["function"]["name"] == "search"
    assert (sent.body["stream"], sent.body["temperature"]) == (True, 0)
    assert sent.body["stream_options"] == {"include_usage": True}
