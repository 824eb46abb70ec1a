"""What a server refuses by name is left out and remembered; a talk too long is told apart."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from bot.model import Assistant, ContextOverflow, ModelRefused, ToolCall, ToolResult, User
from tests.bot.chat_client import QUESTION, SEARCH, opened, refusal
from tests.chat_server import ChatServer, Reply, chat_server


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    """A server that always says the same, unless it refuses."""
    async with chat_server() as running:
        running.by = lambda _messages: "Yes."
        yield running


def refusing(
    status: int, words: str, wrong: Callable[[Any], bool], **error: Any
) -> Callable[[Any], Reply | None]:
    """Refuse every request that is wrong."""
    reply = Reply(status=status, body={"error": {"message": words, **error}})

    def refuse(body: Any) -> Reply | None:
        return reply if wrong(body) else None

    return refuse


def has(name: str) -> Callable[[Any], bool]:
    """Whether a request has a field."""
    return lambda body: name in body


@pytest.mark.parametrize(
    ("name", "status", "words", "error"),
    [
        ("stream_options", 400, "Unrecognized request argument supplied: stream_options", {}),
        ("stream_options", 422, "Extra inputs are not permitted", {"param": "stream_options"}),
        ("stream", 400, "Streaming is not supported by this model", {}),
        ("temperature", 400, "Unsupported value: 'temperature' does not support 0", {}),
        ("max_tokens", 400, "Unsupported parameter: use 'max_completion_tokens' instead.", {}),
        ("tools", 400, "registry.ollama.ai/library/gemma:2b does not support tools", {}),
        ("tools", 500, "tools param requires --jinja flag", {}),
        (
            "tools",
            400,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
            {},
        ),
        ("tools", 400, "Unrecognized request argument supplied: tools", {}),
        ("tools", 200, "This model doesn't support tool calling", {"code": 400}),
    ],
)
async def test_what_is_refused_by_name_is_left_out(
    server: ChatServer, name: str, status: int, words: str, error: dict[str, Any]
) -> None:
    """The rest stays, and the next request does without from the start."""
    server.refuses = refusing(status, words, has(name), **error)
    async with opened(server) as model:
        for _ in range(2):
            assert (await model.complete(QUESTION, [SEARCH])).text == "Yes."
    refused, *without = [asked.body for asked in server.asked]
    left_out = {name} | ({"stream_options"} if name == "stream" else set())
    assert len(without) == 2
    for body in without:
        assert refused.keys() - body.keys() == left_out
    if name == "max_tokens":
        assert without[0]["max_completion_tokens"] == refused["max_tokens"]


async def test_fastapi_names_a_field_by_its_place(server: ChatServer) -> None:
    """Its words name none."""
    detail = [{"msg": "Extra inputs are not permitted", "loc": ["body", "stream_options"]}]
    reply = Reply(status=422, body={"detail": detail})
    server.refuses = lambda body: reply if "stream_options" in body else None
    async with opened(server) as model:
        assert (await model.complete(QUESTION)).text == "Yes."


async def test_several_refusals_one_after_the_other(server: ChatServer) -> None:
    """Each is mended in its turn, and one that can't be ends it."""

    def refuse(body: Any) -> Reply | None:
        for name in ("temperature", "stream_options", "tools"):
            if name in body:
                return Reply(status=400, body={"error": f"unknown field: {name}"})
        return None

    server.refuses = refuse
    async with opened(server) as model:
        assert (await model.complete(QUESTION, [SEARCH])).text == "Yes."
    assert len(server.asked) == 4
    server.refuses = lambda _body: Reply(status=400, body={"error": "unknown field: tools"})
    assert "unknown field" in await refusal(server, kind=ModelRefused)


async def test_without_tools_the_calls_are_told_as_text(server: ChatServer) -> None:
    """What they gave isn't lost, and no message has a role that the server doesn't know."""
    server.refuses = refusing(400, "tools are not supported", has("tools"))
    asked = [
        User("how?"),
        Assistant("I look.", (ToolCall("x", "search", '{"query": "a"}'),)),
        ToolResult("x", "search", "deployctl rollback"),
    ]
    async with opened(server) as model:
        await model.complete(asked, [SEARCH])
    messages = server.asked[-1].messages
    assert [each["role"] for each in messages] == ["user", "assistant", "user"]
    assert '{"query": "a"}' in messages[1]["content"]
    assert "deployctl rollback" in messages[2]["content"]
    assert not any("tool_calls" in each for each in messages)


@pytest.mark.parametrize(
    "words",
    [
        "Invalid schema for function 'search': unsupported type",
        "An assistant message with 'tool_calls' must be followed by tool messages; not supported",
        "messages with role 'tool' are not supported here",
        "the roof is on fire",
    ],
)
async def test_what_is_wrong_with_a_request_keeps_its_tools(server: ChatServer, words: str) -> None:
    """A model without tools would answer, and nobody would see why it never searches."""
    server.refuses = refusing(400, words, has("tools"))
    await refusal(server, kind=ModelRefused)
    assert len(server.asked) == 1


OVERFLOWS = [
    pytest.param(
        400,
        {
            "message": "This model's maximum context length is 4097 tokens. However, your messages "
            "resulted in 5000 tokens.",
            "code": "context_length_exceeded",
        },
        id="OpenAI",
    ),
    pytest.param(400, {"message": "no words", "code": "context_length_exceeded"}, id="by code"),
    pytest.param(
        400,
        {
            "code": 400,
            "message": "the request exceeds the available context size, try increasing it",
            "type": "exceed_context_size_error",
        },
        id="llama.cpp",
    ),
    pytest.param(
        500,
        {"code": 500, "message": "context size exceeded", "type": "server_error"},
        id="llama.cpp, older",
    ),
    pytest.param(
        400, {"message": "input length exceeds maximum context length"}, id="Ollama, embeddings"
    ),
    pytest.param(500, {"message": "the input length exceeds the context length"}, id="Ollama"),
    pytest.param(
        400,
        "Trying to keep the first 4527 tokens when context the overflows. However, the model is "
        "loaded with context length of only 4096 tokens, which is not enough. Try to load the "
        "model with a larger context length, or provide a shorter input",
        id="LM Studio",
    ),
    pytest.param(
        200,
        {"message": "Reached context length of 4096 tokens with this model"},
        id="LM Studio, 200",
    ),
    pytest.param(
        400,
        {
            "message": "The decoder prompt (length 9000) is longer than the maximum model length "
            "of 8192. Make sure that `max_model_len` is no smaller",
            "type": "BadRequestError",
            "code": 400,
        },
        id="vLLM",
    ),
    pytest.param(
        400,
        {
            "message": "This model's maximum context length is 8192 tokens. However, you requested "
            "9000 tokens (8000 in the messages, 1000 in the completion).",
            "type": "BadRequestError",
        },
        id="vLLM, with the answer",
    ),
    pytest.param(
        400,
        {"message": "The prompt (total length 9000) is too long to fit into the model"},
        id="vLLM, newer",
    ),
    pytest.param(400, {"message": "prompt is too long: 210000 tokens > 200000 maximum"}, id="else"),
    pytest.param(413, "Payload Too Large", id="413"),
]


@pytest.mark.parametrize(("status", "error"), OVERFLOWS)
async def test_a_conversation_that_is_too_long(
    server: ChatServer, status: int, error: object
) -> None:
    """It is told apart at once, by code, type or words, so that less can be said."""
    server.refuses = lambda _body: Reply(status=status, body={"error": error})
    assert "FOOTNOTE_MODEL_CONTEXT" in await refusal(server, kind=ContextOverflow)
    assert len(server.asked) == 1


async def test_an_overflow_within_a_stream(server: ChatServer) -> None:
    """Some begin to answer and say it then."""
    server.replies(Reply(events=[{"error": {"message": "context length exceeded"}}]))
    await refusal(server, kind=ContextOverflow)
    server.replies(Reply(raw=b'error: {"error": {"message": "context size exceeded"}}\n\n'))
    await refusal(server, kind=ContextOverflow)


@pytest.mark.parametrize(
    "words",
    [
        "Rate limit reached for requests: the context window of your plan is exhausted",
        "The request took too long",
        "invalid model length parameter",
        "no context",
    ],
)
async def test_other_words_are_no_overflow(server: ChatServer, words: str) -> None:
    """Dropping passages would mend nothing."""
    status = 429 if words.startswith("Rate") else 400
    server.refuses = refusing(status, words, lambda _body: True)
    async with opened(server) as model:
        with pytest.raises(Exception, match=r"HTTP 4\d\d") as caught:
            await model.complete(QUESTION)
    assert not isinstance(caught.value, ContextOverflow)
