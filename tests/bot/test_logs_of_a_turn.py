"""The log of whole turns holds events and ids: never what was said, never a token."""

from bot.playground import Playground, When
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, mention, settled
from tests.bot.test_pointer import chat
from tests.chat_server import ChatServer, Reply

__all__ = ["chat"]

SECRET = "xyzzyplugh"  # noqa: S105  # a word that nothing else says


async def test_nothing_that_was_said_is_logged(
    slack: Playground, start: Start, chat: ChatServer
) -> None:
    """Not where all goes well, nor in the tracebacks of what fails, at the most talkative level."""
    chat.by = lambda _messages: Reply(f"The {SECRET} is broken. Replace the {SECRET}.")
    bot = await start(
        FOOTNOTE_LOG_LEVEL="debug",
        FOOTNOTE_POINTER_SECONDS="0",
        FOOTNOTE_MODEL_URL=chat.url,
        FOOTNOTE_MODEL="scripted",
    )
    slack.faults.http_error("chat.postMessage", 500)
    slack.faults.fail("chat.update", "invalid_blocks", times=2)
    slack.faults.fail("chat.update", "internal_error")
    slack.faults.drop("chat.update", when=When.AFTER)
    slack.faults.fail("assistant.threads.setStatus", "missing_scope")
    asked = f"how do I refund {SECRET}? ERR_5032 /{SECRET}\0{SECRET}"
    ts = await slack.post("Ana", CHANNEL, mention(slack, asked))
    await settled(slack, ts)
    await slack.edit(CHANNEL, ts, mention(slack, f"what is {SECRET}?"))
    await slack.post("Ana", "dm", f"remember that {SECRET} is mine")
    receipt = await slack.command("Ana", CHANNEL, "/ask", f"{SECRET} service:{SECRET}")
    assert receipt.acknowledged
    await slack.command("Ana", CHANNEL, "/ingest", f"https://127.0.0.1/{SECRET}.md")
    chat.by = lambda _messages: Reply(status=400, body={"error": {"message": SECRET}})
    further = await slack.post("Ana", CHANNEL, mention(slack, f"does {SECRET} mean ERR_5033?"))
    await settled(slack, further)
    await bot.stop()
    assert bot.events("turn_delivered")
    for line in bot.lines:
        assert SECRET not in str(line), line
        assert slack.bot_token not in str(line)
        assert slack.app_token not in str(line)
