"""`footnote demo` as a whole: its switches make things go wrong, and every answer comes once."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import pytest

QUESTION = "@Footnote how do I roll back a deploy?"
START_SECONDS = 100.0
REPLY_SECONDS = 60.0

type Json = dict[str, Any]


class Visitor:
    """Ana, in front of the demo's page."""

    def __init__(self, session: aiohttp.ClientSession, token: str) -> None:
        self._session = session
        self._headers = {"X-Playground-Token": token}

    async def state(self) -> Json:
        """What the page shows."""
        async with self._session.get("/playground/state", headers=self._headers) as response:
            return await response.json()

    async def do(self, action: str, **body: Any) -> Json:
        """Do something in #general."""
        body = {"user": "Ana", "channel": "general", **body}
        path = f"/playground/{action}"
        async with self._session.post(path, json=body, headers=self._headers) as response:
            return await response.json()

    async def trace(self, ts: str) -> Json:
        """What the bot did for a thread of #general."""
        state = await self.state()
        (channel,) = (each["id"] for each in state["channels"] if each["name"] == "general")
        query = {"channel": channel, "ts": ts}
        async with self._session.get(
            "/playground/trace", params=query, headers=self._headers
        ) as response:
            return await response.json()

    async def until(self, found: Callable[[Json], bool]) -> Json:
        """Wait until the state is as wanted."""
        async with asyncio.timeout(REPLY_SECONDS):
            while not found(state := await self.state()):  # noqa: ASYNC110 - another process's
                await asyncio.sleep(0.1)
        return state

    async def switch(self, name: str, *, on: bool) -> None:
        """Throw a switch of Faults, and wait for the bot that it may start anew."""
        assert (await self.do("switch", name=name, on=on))["on"] is on
        await self.until(lambda state: state["connected"] > 0)

    async def answers(self, ts: str) -> list[Json]:
        """Wait for an answer, and return every reply that there is."""

        def replies(state: Json) -> list[Json]:
            return [each for each in state["messages"] if each["thread_ts"] == ts]

        def ended(state: Json) -> bool:
            return any("stop_reason" in str(each["metadata"]) for each in replies(state))

        return replies(await self.until(ended))


@pytest.fixture
async def visitor(data_dir: Path) -> AsyncIterator[Visitor]:
    """The page of a running demo with a folder of its own."""
    async with demo(data_dir) as (visitor, process):
        yield visitor
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0


@asynccontextmanager
async def demo(data_dir: Path) -> AsyncGenerator[tuple[Visitor, asyncio.subprocess.Process]]:
    """Start the demo, wait until its bot is connected, and open its page."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "demo", "--port", "0",
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "FOOTNOTE_DATA_DIR": str(data_dir)},  # noqa: TID251 - a child's
    )  # fmt: skip
    try:
        async with asyncio.timeout(START_SECONDS):
            url = await _url(process)
        async with aiohttp.ClientSession(url) as session, session.get("/") as response:
            token = re.search(r'name="page-token" content="([^"]+)"', await response.text())
            assert token is not None
            yield Visitor(session, token[1]), process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            await process.wait()


async def _url(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    said: list[str] = []
    async for line in process.stderr:
        said.append(line.decode())
        if found := re.match(r"Open (http://\S+)", said[-1]):
            return found[1]
    raise AssertionError(f"the demo ended at its start: {said}")


@pytest.mark.timeout(400)
async def test_what_goes_wrong_is_said_and_every_answer_comes_once(visitor: Visitor) -> None:
    """The bot killed between its post and the answer posts nothing twice; what is down is named."""
    await visitor.switch("crash", on=True)
    asked = (await visitor.do("post", text=QUESTION))["ts"]
    (reply,) = await visitor.answers(asked)
    assert "rollout undo" in str(reply["blocks"])
    await visitor.until(lambda state: not any(each["on"] for each in state["switches"]))
    await visitor.until(lambda state: state["connected"] > 0)
    again = (await visitor.do("post", text="and in staging?", thread_ts=asked))["ts"]
    await visitor.until(lambda state: any(each["ts"] > again for each in state["messages"]))
    assert len(await visitor.answers(asked)) == 3
    (first, second) = (await visitor.trace(asked))["turns"]
    assert (first["outcome"], second["outcome"]) == ("cited", "cited")

    await visitor.switch("model", on=True)
    (reply,) = await visitor.answers((await visitor.do("post", text=QUESTION))["ts"])
    assert "model" in str(reply["blocks"])
    await visitor.switch("model", on=False)

    await visitor.switch("reranker", on=True)
    asked = (await visitor.do("post", text=QUESTION))["ts"]
    await visitor.answers(asked)
    steps = (await visitor.trace(asked))["turns"][0]["steps"]
    search = next(each for each in steps if each["title"].startswith("search by question"))
    assert "rerank" in str(search["notes"])
    await visitor.switch("reranker", on=False)

    alert = await visitor.do("alert", channel="payments-oncall")
    (reply,) = await visitor.answers(alert["ts"])
    assert "payments/card-errors" in str(reply["blocks"])


@pytest.mark.timeout(400)
async def test_the_demo_remembers_and_takes_its_bot_along(data_dir: Path) -> None:
    """A restart shows what was said before; a demo that is killed leaves no bot behind."""
    async with demo(data_dir) as (visitor, process):
        await visitor.do("post", text="remember this")
        bots = psutil.Process(process.pid).children()
        assert any("bot.cli.demo.process" in each.cmdline() for each in bots)
        process.kill()
        await process.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, bots, REPLY_SECONDS)
    assert alive == []
    async with demo(data_dir) as (visitor, process):
        assert [each["text"] for each in (await visitor.state())["messages"]] == ["remember this"]
        assert (await visitor.state())["connected"] == 1
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
