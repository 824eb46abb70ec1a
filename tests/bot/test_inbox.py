"""The inbox: in which order a thread's messages are taken up."""

from psycopg import AsyncConnection

from bot import inbox
from bot.events import Incoming

SESSION = "T1:C1:1700000000.000100"


def reply(ts: str, text: str) -> Incoming:
    """A reply in the thread."""
    return Incoming(
        event_id=f"Ev{ts}",
        kind="reply",
        team="T1",
        channel="C1",
        ts=ts,
        root_ts="1700000000.000100",
        author="U1",
        text=text,
    )


async def test_messages_that_arrive_together_are_taken_up_as_they_were_posted(
    database_url: str,
) -> None:
    """Slack delivers side by side, so the last may be accepted first; people read by time."""
    async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
        for ts, text in (("1700000003.000100", "third"), ("1700000002.000100", "second")):
            async with connection.transaction():
                assert await inbox.accept(connection, reply(ts, text))
        taken: list[str] = []
        while message := await inbox.next_message(connection, SESSION):
            taken.append(message.text)
            await inbox.end(connection, message, "done")
    assert taken == ["second", "third"]
