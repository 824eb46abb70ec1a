"""What bites an app at Slack's door and shows in no answer: proxies, and previews of links."""

from bot.playground import Message, Playground
from tests.bot.conftest import Start
from tests.bot.test_durability import CHANNEL, QUESTION, mention, settled, stop_reason

NOWHERE = "http://127.0.0.1:9"


async def test_a_proxy_gets_nothing_of_this_machine(slack: Playground, start: Start) -> None:
    """The SDK takes HTTPS_PROXY and knows no NO_PROXY: neither calls nor the socket go there."""
    await start(HTTP_PROXY=NOWHERE, HTTPS_PROXY=NOWHERE, ALL_PROXY=NOWHERE)
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    (reply,) = await settled(slack, ts)
    assert stop_reason(reply) == "cited"


async def test_no_link_grows_a_preview(slack: Playground, start: Start) -> None:
    """Sources are links: neither pages nor pictures are unfurled, on whichever path they come."""
    await start(FOOTNOTE_POINTER_SECONDS="0")
    ts = await slack.post("Ana", CHANNEL, mention(slack, QUESTION))
    await settled(slack, ts)
    await slack.command("Ana", CHANNEL, "/ask", "what does ERR_5033 mean?")

    def said() -> list[Message]:
        bot = slack.bot_user_id
        return [each for each in slack.log.changed_since(0) if each.user == bot]

    def cited() -> list[Message]:
        return [each for each in said() if "'cited'" in str(each.metadata)]

    await slack.wait_until(lambda: len(cited()) == 2, 30)
    assert len(said()) == 3  # with the question of the command
    assert not [each for each in said() if each.unfurl_links or each.unfurl_media]
