"""The forms an answer comes in: every one that servers are known for gives the same completion."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from bot.model import Assistant, ModelDown, ToolCall, ToolResult, Usage, User
from tests.bot.chat_client import SEARCH, completed, opened, refusal
from tests.chat_server import ChatServer, Reply, chat_server, delta, event, tool_call

TEXT = "Läuft – siehe “Rollback” 🚲: `deployctl rollback`. [S1a]"
CALL = ToolCall("call_1", "search", '{"query": "größer"}')


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    """A server that says what the test tells it to."""
    async with chat_server() as running:
        yield running


def stream(*chunks: Any) -> bytes:
    """A stream of these, in full."""
    return b"".join(map(event, [*chunks, delta("stop"), "[DONE]"]))


GOOD = stream(delta(content=TEXT[:20]), delta(content=TEXT[20:]))


@pytest.mark.parametrize("cut", [1, 2, 3, 7, 64])
async def test_bytes_are_cut_anywhere(server: ChatServer, cut: int) -> None:
    """Within a character, a line's end or a number, the text is the same."""
    server.says(TEXT, cut=cut)
    several = GOOD.replace(b'"choices": ', b'"choices":\ndata: ')
    server.replies(Reply(raw=several.replace(b"\n", b"\r\n"), cut=cut))
    server.calls("search", json.dumps({"query": "größer"}, ensure_ascii=False), cut=cut)
    async with opened(server) as model:
        for _ in range(2):
            completion = await model.complete([User("how?")], [SEARCH])
            assert (completion.text, completion.finish) == (TEXT, "stop")
        assert (await model.complete([User("how?")], [SEARCH])).calls == (CALL,)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(GOOD.replace(b"\n", b"\r\n"), id="CR LF"),
        pytest.param(GOOD.replace(b"\n", b"\r"), id="CR"),
        pytest.param(b"\xef\xbb\xbf" + GOOD, id="a byte order mark"),
        pytest.param(GOOD.replace(b"data: ", b"data:"), id="no blank"),
        pytest.param(
            b": warming up\n\n" + GOOD.replace(b"\n\n", b"\n\n: keep-alive\n\n"), id="comments"
        ),
        pytest.param(
            GOOD.replace(b"data: ", b"event: message\nid: 7\nretry: 10\ndata: "), id="other fields"
        ),
        pytest.param(GOOD.replace(b'"choices": ', b'"choices":\ndata: '), id="several lines"),
        pytest.param(GOOD.replace(b"\n\n", b"\n"), id="no empty lines"),
        pytest.param(b"garbage\nmore: of it\n\n" + GOOD, id="lines of garbage"),
        pytest.param(GOOD.replace(event("[DONE]"), b""), id="no [DONE]"),
        pytest.param(GOOD.rstrip(b"\n"), id="no last line end"),
        pytest.param(GOOD.replace(b'"finish_reason": "stop"', b'"x": 0'), id="no finish_reason"),
        pytest.param(
            GOOD.replace(event(delta("stop")) + event("[DONE]"), b"")
            + event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}),
            id="ended by the usage alone",
        ),
        pytest.param(
            stream(delta(content=None), delta(role="assistant"), delta(content=TEXT)), id="nulls"
        ),
        pytest.param(
            stream(delta(content=[{"type": "text", "text": TEXT[:9]}, {"text": TEXT[9:]}])),
            id="parts",
        ),
        pytest.param(
            stream({"choices": []}, {"object": "ping"}, delta(content=TEXT)), id="no choices"
        ),
        pytest.param(GOOD.replace(b'"index": 0, ', b""), id="no index"),
        pytest.param(
            stream({"choices": [{"index": 1, "delta": {"content": "other"}}]}, delta(content=TEXT)),
            id="another choice",
        ),
        pytest.param(json.dumps(Reply(TEXT).whole("some-model")).encode(), id="JSON"),
        pytest.param(json.dumps(Reply(TEXT).whole("m"), indent=2).encode(), id="JSON in lines"),
        pytest.param(event(Reply(TEXT).whole("m")), id="a whole message as an event"),
        pytest.param(
            json.dumps({"choices": [{"message": {"content": TEXT}}]}).encode(), id="bare JSON"
        ),
    ],
)
async def test_an_answer_in_another_form(server: ChatServer, raw: bytes) -> None:
    """It is read as what it means, by the first request."""
    server.replies(Reply(raw=raw))
    completion = await completed(server)
    assert (completion.text, completion.calls, completion.finish) == (TEXT, (), "stop")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "text",
    [
        "<think>Hm. [S9z]</think>" + TEXT,
        "<think>\nHm.\n</think>\n\n" + TEXT + "\n",
        "<thinking>Hm.</thinking>" + TEXT,
        "<THINK>Hm.</Think >" + TEXT,
        "Hm, opened by the template.</think>" + TEXT,
        "<think>a<think>b</think>c</think>" + TEXT,
        TEXT + "<think>never closed",
        TEXT + "<think></think>",
        f"<think>one</think>{TEXT}<think>two</think>",
    ],
)
async def test_reasoning_is_left_out(server: ChatServer, text: str) -> None:
    """Closed or not, opened or not, in one piece or cut into letters."""
    server.replies(
        Reply(raw=stream(*(delta(content=letter) for letter in text))),
        Reply(text, stream=False),
        Reply(text, reasoning="Let me see."),
    )
    async with opened(server) as model:
        for _ in range(3):
            assert (await model.complete([User("how?")])).text == TEXT


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_reasoning_in_a_field_of_its_own(server: ChatServer, name: str) -> None:
    """It counts as a first token, and into estimated tokens, and is never shown."""
    server.replies(
        Reply(raw=stream(delta(**{name: "Hm." * 400}), delta(content="Yes."))),
        Reply(events=[delta(**{name: "Hm."}), delta("length")]),
        Reply(raw=stream(delta(content=[{"type": "thinking", "text": "Hm."}]))),
    )
    async with opened(server) as model:
        answered = await model.complete([User("how?")])
        assert answered.text == "Yes."
        assert answered.usage.completion_tokens == pytest.approx(301, abs=2)
        assert answered.first_token_ms is not None
        cut = await model.complete([User("how?")])
        assert (cut.text, cut.finish) == ("", "length")
        assert (await model.complete([User("how?")])).text == ""


def called(index: int | None = None, identifier: str | None = None, **function: Any) -> Any:
    """A chunk with a piece of a call."""
    place = {} if index is None else {"index": index}
    named = {} if identifier is None else {"id": identifier}
    return delta(tool_calls=[{**place, **named, "function": function}])


TWO = [("search", '{"a": 1}'), ("read", '{"b": 2}')]


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [
                called(0, "x", name="search", arguments=""),
                called(1, "y", name="read", arguments='{"b"'),
                called(0, arguments='{"a": 1}'),
                called(1, arguments=": 2}"),
            ],
            id="interleaved",
        ),
        pytest.param(
            [
                called(0, "x", name="sea", arguments='{"a"'),
                called(0, "x", name="rch", arguments=": 1}"),
                called(1, "y", name="read", arguments='{"b"'),
                called(1, "y", name="read", arguments=": 2}"),
            ],
            id="name in pieces, or repeated",
        ),
        pytest.param(
            [
                called(0, "x", name="search", arguments='{"a": 1}'),
                called(0, "y", name="read", arguments='{"b": 2}'),
            ],
            id="all numbered 0",
        ),
        pytest.param(
            [
                called(None, "x", name="search", arguments='{"a": 1}'),
                called(None, "y", name="read", arguments='{"b"'),
                called(None, "y", arguments=": 2}"),
            ],
            id="not numbered",
        ),
        pytest.param(
            [
                called(name="search", arguments='{"a": 1}'),
                called(name="read", arguments='{"b"'),
                called(arguments=": 2}"),
            ],
            id="neither numbered nor named",
        ),
        pytest.param(
            [
                called(0, "x", name="search", arguments={"a": 1}),
                called(1, "x", name="read", arguments={"b": 2}),
                called(2, "z", arguments="{}"),
            ],
            id="objects, one id, one without a name",
        ),
    ],
)
async def test_calls_in_pieces(server: ChatServer, chunks: list[Any]) -> None:
    """They are put together by number, id or name, each with an id of its own."""
    server.replies(Reply(raw=stream(*chunks)))
    completion = await completed(server)
    assert [(call.name, call.arguments) for call in completion.calls] == TWO
    assert len({call.id for call in completion.calls} - {""}) == 2
    assert completion.finish == "tools"


@pytest.mark.parametrize("arguments", ['{"query": "roll', "not JSON", "", '{"a":1}{"a":1}'])
async def test_arguments_stay_as_they_were_written(server: ChatServer, arguments: str) -> None:
    """Whoever runs the tool judges; an answer cut by its length says so."""
    server.calls("search", arguments, finish="length")
    completion = await completed(server)
    assert completion.calls == (ToolCall("call_1", "search", arguments),)
    assert completion.finish == "length"


async def test_calls_without_ids_get_new_ones(server: ChatServer) -> None:
    """Also when the server uses an id of the conversation again; a result finds its call."""
    server.replies(
        Reply(calls=(tool_call("search", {}, None), tool_call("read", {}, None))),
        Reply(calls=(tool_call("search", {}, ""),), stream=False),
        Reply(calls=(tool_call("search", {}, "call_0"),)),
    )
    async with opened(server) as model:
        first = await model.complete([User("how?")], [SEARCH])
        second = await model.complete([User("how?")], [SEARCH])
        ids = {call.id for call in first.calls + second.calls}
        assert len(ids) == 3
        assert "" not in ids
        before = Assistant("", (ToolCall("call_0", "search", "{}"),))
        asked = [User("how?"), before, ToolResult("call_0", "search", "nothing")]
        (third,) = (await model.complete(asked, [SEARCH])).calls
        assert third.id != "call_0"


@pytest.mark.parametrize("streamed", [True, False])
async def test_the_old_form_of_a_call(server: ChatServer, *, streamed: bool) -> None:
    """`function_call` is a call."""
    old = {"name": "search", "arguments": '{"query": "a"}'}
    message = {"role": "assistant", "content": None, "function_call": old}
    whole = {"choices": [{"message": message, "finish_reason": "function_call"}]}
    pieces = [
        delta(function_call={"name": "search", "arguments": '{"query"'}),
        delta(function_call={"arguments": ': "a"}'}),
        delta("function_call"),
    ]
    server.replies(Reply(events=pieces) if streamed else Reply(body=whole))
    completion = await completed(server)
    assert [(call.name, call.arguments) for call in completion.calls] == [
        ("search", '{"query": "a"}')
    ]
    assert completion.finish == "tools"


@pytest.mark.parametrize(
    ("named", "finish"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "filtered"),
        ("tool_calls", "stop"),  # of which there are none
        ("eos", "stop"),
    ],
)
async def test_why_it_stopped(server: ChatServer, named: str, finish: str) -> None:
    """In the server's word, or as the answer shows it."""
    server.says("Yes.", finish=named)
    assert (await completed(server)).finish == finish


@pytest.mark.parametrize("text", [None, "", "  \n"])
async def test_an_empty_answer_is_an_answer(server: ChatServer, text: str | None) -> None:
    """It has no text and no calls; what that means is the loop's to say."""
    server.replies(Reply(text), Reply(text, stream=False))
    async with opened(server) as model:
        for _ in range(2):
            completion = await model.complete([User("how?")])
            assert (completion.text, completion.calls, completion.finish) == ("", (), "stop")


@pytest.mark.parametrize(
    ("usage", "estimated"),
    [
        (None, True),
        ({}, True),
        ({"prompt_tokens": None, "completion_tokens": 7}, True),
        ({"prompt_tokens": "11", "completion_tokens": -1}, True),
        ({"prompt_tokens": 11, "completion_tokens": 7}, False),
    ],
)
async def test_usage_that_is_missing_is_estimated(
    server: ChatServer, usage: Any, *, estimated: bool
) -> None:
    """A token is about four bytes, of everything that was sent and said."""
    server.replies(Reply("yes " * 100, usage=usage))
    async with opened(server) as model:
        got = (await model.complete([User("how? " * 200)])).usage
    if not estimated:
        assert got == Usage(11, 7)
        return
    assert got.estimated
    assert 250 <= got.prompt_tokens <= 300
    assert got.completion_tokens in {7, 100}


async def test_texts_are_made_sendable_and_storable(server: ChatServer) -> None:
    """Halves of characters and NULs, in what is asked and in what is said, hurt nobody."""
    half, other = "\ud83d", "\udeb2"
    server.replies(
        Reply(
            raw="".join(
                f'data: {{"choices": [{{"delta": {{"content": {json.dumps(piece)}}}}}]}}\n\n'
                for piece in ("a\0b", half, other, half)
            ).encode()
            + event(delta("stop"))
        )
    )
    async with opened(server) as model:
        completion = await model.complete([User(f"x\0y{half}")])
    assert completion.text == "ab🚲\N{REPLACEMENT CHARACTER}"
    assert server.asked[0].said == "xy\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(stream(delta(content="rm -rf /"), '{"choices": [{"del'), id="half an event"),
        pytest.param(stream(delta(content="rm -rf /"), "\xff\xfe"), id="no JSON"),
        pytest.param(stream(delta(content="rm -rf /"), [1, 2]), id="no object"),
        pytest.param(event(delta(content="rm -rf /")), id="no end"),
        pytest.param(event(delta(content="rm -rf /"))[:-9], id="cut within an event"),
        pytest.param(
            event({**delta(content="rm -rf /"), "usage": {"completion_tokens": 3}}),
            id="no end, tokens counted along",
        ),
        pytest.param(b"", id="nothing"),
        pytest.param(b"<!doctype html><p>Bad gateway</p>", id="a page"),
        pytest.param(b"data: <html></html>\n\n", id="a page as an event"),
        pytest.param(b'{"choices": [{"mess', id="half of JSON"),
        pytest.param(b'{"object": "list"}', id="other JSON"),
        pytest.param(b"[" * 100_000, id="deep JSON"),
        pytest.param(b"data: " + b"[" * 100_000 + b"\n\n", id="a deep event"),
    ],
)
async def test_what_cannot_be_read_is_asked_for_again(server: ChatServer, raw: bytes) -> None:
    """No half of a command passes for a whole one; after three times it is said."""
    server.replies(Reply(raw=raw), Reply(TEXT))
    assert (await completed(server)).text == TEXT
    server.replies(*[Reply(raw=raw)] * 3)
    sentence = await refusal(server, kind=ModelDown)
    assert "see its log" in sentence or "correct FOOTNOTE_MODEL_URL" in sentence
    assert len(server.asked) == 5


@pytest.mark.parametrize("dies_after", [1, 200, 400])
async def test_a_connection_that_breaks_is_made_again(server: ChatServer, dies_after: int) -> None:
    """Nothing of the first answer was used, so the second is all there is."""
    server.says("Wrong, wrong, wrong.", dies_after=dies_after)
    server.says(TEXT)
    assert (await completed(server)).text == TEXT


async def test_an_endless_answer_is_cut(server: ChatServer) -> None:
    """By tokens when the server doesn't count them, by bytes when it has nothing to say."""
    server.replies(
        Reply(raw=event(delta(content="and ")), endless=True),
        Reply(raw=event(delta(content="x" * 1_000_000)), endless=True),
    )
    async with opened(server, max_tokens=50) as model:
        completion = await model.complete([User("how?")])
        assert completion.finish == "length"
        assert 100 < completion.text.count("and") < 1_000
        assert (await model.complete([User("how?")])).finish == "length"
        server.replies(*[Reply(raw=b": nothing\n\n" * 50_000, endless=True)] * 3)
        with pytest.raises(ModelDown):
            await model.complete([User("how?")])
    assert all([await asked.gone.wait() for asked in server.asked])


async def test_a_huge_answer_is_read(server: ChatServer) -> None:
    """Two megabytes in one event, and as JSON."""
    long = "ü" * 1_000_000
    server.replies(Reply(raw=stream(delta(content=long)), cut=1000), Reply(long, stream=False))
    async with opened(server) as model:
        for _ in range(2):
            assert (await model.complete([User("how?")])).text == long
