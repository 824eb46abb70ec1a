"""What a message asks, with the filter that holds for it in its thread and channel."""

from dataclasses import dataclass

from bot import channel_settings, thread_settings
from bot.filters import effective, known, meant, named, only_known, problems
from bot.inbox import Connection, Message
from bot.question import Question, parse
from retrieval.shelf import kinds

__all__ = ["Narrowed", "misnamed", "narrowed"]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A question with its filter. `problems` are sentences about names in it that don't exist.

    `offers` are the filters that may have been meant, as one writes them.
    `quickly`: what is found is wanted at once, and no model's words about it.
    """

    question: Question
    problems: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    quickly: bool = False


async def narrowed(connection: Connection, message: Message) -> Narrowed:
    """Return what is asked, and searched.

    An alert's labels and somebody else's words are no filter; what a click says replaces theirs.
    """
    thread = await thread_settings.read(connection, message.session)
    channel = await channel_settings.read(connection, message.team, message.channel)
    if message.kind == "alert":
        asked = Question(message.text)
        return Narrowed(effective(asked, thread, channel), quickly=True)
    asked = parse(message.text)
    wrong: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    if message.kind == "click":
        given = Question(asked.text).narrowed(message.services, message.doc_types)
        there = known(await kinds(connection, message.team, (message.channel,)))
        asked = given if given != Question(asked.text) else only_known(asked, there)
    else:
        asked = asked.narrowed(message.services, message.doc_types)
        wrong = await misnamed(connection, message.team, message.channel, message.text, asked)
    if wrong:
        there = known(await kinds(connection, message.team, (message.channel,)))
        offers = meant(message.text, asked, there)
    return Narrowed(effective(asked, thread, channel), wrong, offers)


async def misnamed(
    connection: Connection, team: str, channel: str, text: str, asked: Question
) -> tuple[str, ...]:
    """Return a sentence for each name in a question's own filter that nothing here has."""
    if not (asked.services or asked.doc_types or named(text)):
        return ()
    return problems(text, asked, known(await kinds(connection, team, (channel,))))
