"""The chat client: what is sent, what comes back, by which server, and when it gives up."""

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from email.utils import formatdate

import pytest

from bot.model import (
    Assistant,
    ModelDown,
    ModelRefused,
    System,
    ToolCall,
    ToolResult,
    Usage,
    User,
)
from bot.model_http import ChatServers, http_model
from tests.bot.chat_client import QUESTION, SEARCH, completed, opened, refusal
from tests.chat_server import ChatServer, Reply, chat_server, delta, event, tool_call

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    """A server that says what the test tells it to."""
    async with chat_server() as running:
        yield running


@pytest.fixture
async def second() -> AsyncGenerator[ChatServer]:
    """Another one."""
    async with chat_server() as running:
        running.by = lambda _messages: "second"
        yield running


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


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "/api"])
async def test_an_address_is_completed(server: ChatServer, path: str) -> None:
    """The server, its `/v1` and the whole address are all taken."""
    server.says("Yes.")
    assert (await completed(server.url + path)).text == "Yes."
    wanted = "/api" if path == "/api" else "/v1"
    assert server.asked[0].path == f"{wanted}/chat/completions"


async def test_the_key_is_sent_and_never_told(server: ChatServer) -> None:
    """A server that repeats a wrong one is not repeated; the setting to correct is named."""
    server.key = "sesame-open"
    server.says("Yes.")
    assert (await completed(server, api_key="sesame-open")).text == "Yes."
    sentence = await refusal(server, kind=ModelRefused, api_key="sesame-wrong")
    assert "FOOTNOTE_MODEL_API_KEY" in sentence
    assert "sesame" not in sentence
    assert "sesame" not in repr(ChatServers((server.url,), "m", "sesame-open"))


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (404, {"error": {"message": "model 'some-model' not found"}}, "_URL or FOOTNOTE_MODEL."),
        (404, "no such page", "_URL or FOOTNOTE_MODEL."),
        (400, {"error": {"message": "Invalid schema for function 'search'"}}, "Invalid schema"),
        (422, {"detail": [{"msg": "Field required", "loc": ["body", "x"]}]}, "Field required"),
        (200, {"error": {"code": 403, "message": "no"}}, "FOOTNOTE_MODEL_API_KEY"),
        (429, {"error": {"code": "insufficient_quota", "message": "Pay."}}, "Pay."),
    ],
)
async def test_a_refusal_is_final(
    server: ChatServer, status: int, body: object, words: str
) -> None:
    """It is asked once; the sentence names the server's words or the setting to correct."""
    server.fails(status, body)
    assert words in await refusal(server, kind=ModelRefused)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
async def test_what_passes_is_asked_again(server: ChatServer, status: int) -> None:
    """Up to three times; then the last sentence stands."""
    server.fails(status)
    server.fails(status)
    server.says("Yes.")
    assert (await completed(server)).text == "Yes."
    server.replies(*[Reply(status=status, body={"error": {"message": "busy"}})] * 4)
    assert f"HTTP {status}, busy" in await refusal(server, kind=ModelDown)
    assert len(server.asked) == 6


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body={"error": {"message": "slot unavailable"}}),
        Reply(body={"error": "loading", "choices": []}),
        Reply(body={"detail": "worker died"}),
        Reply(events=[delta(content="half of"), {"error": {"message": "CUDA"}}]),
        Reply(raw=b'event: error\ndata: {"error": "CUDA"}\n\n'),
        Reply(raw=b'error: {"error": {"code": 500, "message": "CUDA"}}\n\n'),
    ],
)
async def test_an_error_with_status_200_is_an_error(server: ChatServer, reply: Reply) -> None:
    """In a body, and in a stream after half an answer, which is never shown."""
    server.replies(reply, Reply("Yes."))
    assert (await completed(server)).text == "Yes."


async def test_a_pause_that_the_server_asks_for_is_kept(server: ChatServer) -> None:
    """As a number or a date; one that is longer than our patience is not waited for."""
    server.fails(429, retry_after="0.3")
    server.says("Yes.")
    began = time.monotonic()
    assert (await completed(server)).text == "Yes."
    assert time.monotonic() - began >= 0.3
    for pause in ("3600", formatdate(time.time() + 3600, usegmt=True)):
        server.fails(429, retry_after=pause)
        assert "HTTP 429" in await refusal(server, kind=ModelDown)
    assert len(server.asked) == 4


async def test_nobody_there() -> None:
    """The sentence names the address's setting."""
    assert "FOOTNOTE_MODEL_URL" in await refusal(NOBODY, kind=ModelDown, timeout=5)


async def test_servers_are_asked_in_their_order(server: ChatServer, second: ChatServer) -> None:
    """Whatever is wrong with one, the next is asked at once; all sentences are told."""
    for fault in (Reply(status=500), Reply(status=401, body={"error": "no"}), Reply(raw=b"")):
        server.replies(fault)
        completion = await completed(NOBODY, server, second)
        assert (completion.text, completion.server) == ("second", second.url[7:])
    assert len(server.asked) == 3
    server.says("first")
    assert (await completed(server, second)).text == "first"
    server.fails(401)
    second.by = None
    second.fails(404)
    sentence = await refusal(server, second, kind=ModelRefused)
    assert sentence.index("_API_KEY") < sentence.index("FOOTNOTE_MODEL_URL")


async def test_a_server_that_fails_rests(server: ChatServer, second: ChatServer) -> None:
    """Longer each time, and no more once it works; when all rest it is asked all the same."""
    now = 1000.0
    config = ChatServers((server.url, second.url), "some-model")
    async with http_model(config, clock=lambda: now) as model:

        async def asks_first() -> bool:
            asked = len(server.asked)
            await model.complete(QUESTION)
            return len(server.asked) > asked

        for rest in (5, 10, 20):
            server.fails(500)
            assert await asks_first()
            now += rest - 1
            assert not await asks_first()
            now += 2
        server.says("first")
        assert await asks_first()
        server.fails(500)
        assert await asks_first()
        now += 6
        server.fails(500)
        assert await asks_first()
        second.by = None
        second.fails(401)
        server.says("first")
        assert (await model.complete(QUESTION)).text == "first"


async def test_a_refused_request_is_not_held_against_a_server(
    server: ChatServer, second: ChatServer
) -> None:
    """The next request goes to it again."""
    server.fails(400)
    server.says("first")
    async with opened(server, second) as model:
        assert (await model.complete(QUESTION)).text == "second"
        assert (await model.complete(QUESTION)).text == "first"


@pytest.mark.parametrize(
    ("reply", "settings", "words"),
    [
        (Reply("Yes."), {"timeout": 0.3}, "didn't finish within 0.3 s"),
        (Reply("Yes."), {"first_token": 0.3, "timeout": 20}, "said nothing within 0.3 s"),
        (
            Reply("Yes.", holds_after=400),
            {"between_tokens": 0.3, "timeout": 0.8},
            "fell silent for 0.3 s|didn't finish within 0.8 s",
        ),
        (Reply("Yes.", holds_after=400), {"timeout": 0.3}, "didn't finish within 0.3 s"),
        (Reply("Yes.", stream=False), {"timeout": 0.3}, "didn't finish within 0.3 s"),
    ],
)
async def test_each_phase_has_its_time(
    server: ChatServer, reply: Reply, settings: dict[str, float], words: str
) -> None:
    """A server that keeps silent is left, and the request ends at its side."""
    never = asyncio.Event()
    server.by = lambda _messages: replace(reply, until=never)
    with pytest.raises(ModelDown, match=words):
        async with opened(server, **{"timeout": 1.0, **settings}) as model:
            await model.complete(QUESTION)
    for asked in server.asked:
        await asked.gone.wait()


async def test_comments_and_empty_pieces_are_no_tokens(
    server: ChatServer, second: ChatServer
) -> None:
    """What keeps a connection alive doesn't keep us; the next server has time left."""
    alive = b": alive\n\n" + event(delta(role="assistant", content=""))
    server.replies(Reply(raw=alive, endless=True, pause=0.02))
    completion = await completed(server, second, timeout=1.0)
    assert completion.text == "second"
    await server.asked[0].gone.wait()


@pytest.mark.parametrize("holds_after", [0, 300])
async def test_cancelling_ends_the_request_at_the_server(
    server: ChatServer, holds_after: int
) -> None:
    """Before its first byte and amid its answer."""
    server.replies(Reply("Yes.", holds_after=holds_after, until=asyncio.Event()))
    async with opened(server) as model, asyncio.TaskGroup() as tasks:
        task = tasks.create_task(model.complete(QUESTION))
        await server.arrived.wait()
        task.cancel()
        await server.asked[0].gone.wait()
    assert task.cancelled()
    assert len(server.asked) == 1


async def test_a_connection_is_used_again(server: ChatServer) -> None:
    """An answer is read to its end, also when the server leaves the connection open after it."""
    server.by = lambda _messages: "Yes."
    async with opened(server) as model:
        for _ in range(3):
            await model.complete(QUESTION)
        assert len({asked.port for asked in server.asked}) == 1
        whole = event(delta("stop", content="Yes.")) + event("[DONE]")
        server.replies(Reply(raw=whole, holds_after=len(whole), until=asyncio.Event()))
        assert (await model.complete(QUESTION)).text == "Yes."


async def test_many_at_once(server: ChatServer) -> None:
    """Each gets the answer to its own question."""
    server.by = lambda messages: messages[-1]["content"] + "!"
    async with opened(server) as model, asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(model.complete([User(str(n))])) for n in range(30)]
    assert [task.result().text for task in running] == [f"{n}!" for n in range(30)]
