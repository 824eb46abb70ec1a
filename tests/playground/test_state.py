"""What survives a restart, and what cannot start."""

import asyncio
import json
from pathlib import Path

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground import Playground, PlaygroundError


async def test_conversations_survive_a_restart(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    """Messages, threads, metadata and new members are there again, and new ts come after them."""
    path = tmp_path / "a folder" / "state.json"
    async with Playground(state_path=path) as slack:
        slack.workspace.add_user("Dora")
        root = await slack.post("Ana", "checkout", "root")
        direct = await slack.post("Ben", "dm", "hello")
        client = AsyncWebClient(slack.bot_token, slack.api_url, session=session)
        await client.chat_postMessage(
            channel=slack.channel_id("checkout"),
            thread_ts=root,
            text="reply",
            metadata={"event_type": "turn", "event_payload": {"id": "1"}},
        )
        await client.chat_postEphemeral(
            channel=slack.channel_id("checkout"), user=slack.user_id("Ana"), text="gone"
        )
    async with Playground(state_path=path) as again:
        replies = again.bot_replies("checkout", root)
        assert [message.text for message in replies] == ["reply"]
        assert replies[0].metadata == {"event_type": "turn", "event_payload": {"id": "1"}}
        assert again.log.get(again.dm("Ben"), direct) is not None
        assert again.ephemeral("checkout", "Ana") == []
        assert await again.post("Dora", "checkout", "later", root) > replies[0].ts


async def test_state_is_saved_while_running(tmp_path: Path) -> None:
    """A moment after a message the file holds it, so that a crash loses little."""
    path = tmp_path / "state.json"

    def saved(ts: str) -> bool:
        return path.exists() and ts in path.read_text("utf-8")

    async with Playground(state_path=path) as slack:
        ts = await slack.post("Ana", "checkout", "root")
        for _ in range(60):
            if await asyncio.to_thread(saved, ts):
                break
            await asyncio.sleep(0.05)
        assert await asyncio.to_thread(saved, ts)


async def test_a_stop_in_the_middle_of_saving_waits_its_turn(tmp_path: Path) -> None:
    """The last saving doesn't meet one that is still writing, and the file holds the last word."""
    path = tmp_path / "state.json"
    draft = tmp_path / "state.json.new"
    async with Playground(state_path=path) as slack:
        for _ in range(300):
            await slack.post("Ana", "checkout", "a long runbook " * 1_000)
        for _ in range(2_000):
            if await asyncio.to_thread(draft.exists):
                break
            await asyncio.sleep(0.001)
        last = await slack.post("Ana", "checkout", "last")
    assert not draft.exists()
    assert json.loads(path.read_text("utf-8"))["messages"][-1]["ts"] == last


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"format": 99}), '{"format": 1}'])
async def test_foreign_state_file_is_left_alone(tmp_path: Path, content: str) -> None:
    """A file that is not ours is refused with a sentence and not overwritten."""
    path = tmp_path / "state.json"
    path.write_text(content, "utf-8")
    with pytest.raises(PlaygroundError, match="move it away"):
        async with Playground(state_path=path):
            pass
    assert path.read_text("utf-8") == content


async def test_taken_port_is_a_sentence(slack: Playground) -> None:
    """A port in use is refused with a sentence that says what to do."""
    port = int(slack.base_url.rpartition(":")[2])
    with pytest.raises(PlaygroundError, match="is not free"):
        async with Playground(port=port):
            pass


async def test_a_restart_on_the_same_port_works() -> None:
    """Stopping frees the port at once."""
    async with Playground() as slack:
        port = int(slack.base_url.rpartition(":")[2])
    async with Playground(port=port) as again:
        assert again.base_url.endswith(f":{port}")
