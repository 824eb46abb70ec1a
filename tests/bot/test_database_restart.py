"""A database that goes away delays answers; it loses none and doubles none."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.playground import Playground, When
from schema.embedded import Server, use
from schema.embedded.processes import end_orphans, find_postmaster
from tests.bot.conftest import Start, fill, starter
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled


@pytest.fixture
async def own_server(data_dir: Path) -> AsyncIterator[Server]:
    """A server of the test's own, with the corpus in it."""
    using = use(data_dir)
    server = await asyncio.to_thread(using.__enter__)
    try:
        await fill(server.url)
        yield server
    finally:
        await asyncio.to_thread(using.__exit__, None, None, None)


@pytest.fixture
async def start_there(slack: Playground, own_server: Server) -> AsyncIterator[Start]:
    """Starts processes of the bot on that server, as on a database of somebody else's."""
    async with starter(slack, {"FOOTNOTE_DATABASE_URL": own_server.url}) as begin:
        yield begin


async def crash(server: Server) -> None:
    """Kill the postmaster with SIGKILL; its other processes follow a moment later."""
    postmaster = await asyncio.to_thread(find_postmaster, server.data_dir / "postgres" / "data")
    assert postmaster is not None
    postmaster.process.kill()


async def crash_whole(server: Server) -> None:
    """Kill the postmaster and wait until none of its processes serves anybody."""
    await crash(server)
    assert await asyncio.to_thread(end_orphans, server.data_dir / "postgres" / "data")


async def test_a_crash_in_the_middle_of_a_turn(
    slack: Playground, own_server: Server, start_there: Start
) -> None:
    """A turn whose database crashes between commit and delivery ends in one reply."""
    await start_there()
    hold = slack.faults.hold("chat.postMessage", when=When.AFTER)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    async with asyncio.timeout(20):
        await hold.reached.wait()
    await crash(own_server)
    hold.release()
    await asyncio.sleep(1)
    await asyncio.to_thread(own_server.ensure_running)
    await asyncio.sleep(5)
    await settled(slack, ts)
    further = await slack.post("Ben", CHANNEL, mention(slack, "what does ERR_5033 mean?"))
    await settled(slack, further)


async def test_questions_asked_while_the_database_is_down(
    slack: Playground, own_server: Server, start_there: Start
) -> None:
    """Without a database there is no ack: Slack brings the event again, and it is answered once.

    A slash command, which Slack doesn't bring again, gets a sentence.
    """
    await start_there()
    await crash_whole(own_server)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    receipt = await slack.command("Ana", CHANNEL, "/ask", "what is ERR_5033?")
    assert receipt.answer is not None
    assert "I can't reach my database" in str(receipt.answer)
    assert not any(event.acknowledged for event in slack.events)
    await asyncio.to_thread(own_server.ensure_running)
    await settled(slack, ts)


async def test_the_embedded_server_is_started_again(slack: Playground, data_dir: Path) -> None:
    """A bot whose own PostgreSQL is killed starts it again and goes on answering."""
    using = use(data_dir)
    server = await asyncio.to_thread(using.__enter__)
    await fill(server.url)
    await asyncio.to_thread(using.__exit__, None, None, None)
    async with starter(slack, {"FOOTNOTE_DATA_DIR": str(data_dir)}) as start:
        bot = await start()
        await crash(server)
        await asyncio.sleep(3)
        ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
        await settled(slack, ts)
        assert await bot.stop() == 0
