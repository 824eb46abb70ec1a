"""Reading on: the whole section around a passage that a search has shown."""

from typing import Annotated

from pydantic import Field, field_validator

from bot.tools.tool import Arguments, Context, Result, TryAgain
from retrieval.documents import Section

__all__ = ["ReadDocument"]


class ReadArguments(Arguments):
    """Where to read on."""

    id: Annotated[
        str,
        Field(min_length=1, max_length=40, description="The id of a passage that you were given."),
    ]

    @field_validator("id")
    @classmethod
    def _bare(cls, value: str) -> str:
        """Take the brackets off: ids are shown and cited in them."""
        return value.strip("[]【】() ").casefold()


class ReadDocument:
    """Gives the section around a passage, in the order of the document, each chunk citable."""

    name: str = "read_document"
    description: str = (
        "Read the whole section around a passage that you were given: when it breaks off, or the"
        " steps before or after it are needed."
    )
    citable: bool = True
    arguments: type[ReadArguments] = ReadArguments

    async def run(self, arguments: ReadArguments, context: Context) -> Result:
        """Return the section with each chunk under an id of its own."""
        known = context.passage(arguments.id)
        if known is None:
            raise TryAgain(
                "There is no passage of that id: give the id of one that you were shown."
            )
        section = await context.section(known.chunk_id, context.filters)
        if section is None:
            raise TryAgain("That document has changed meanwhile: search again.")
        return Result(_told(section), section.passages)


def _told(section: Section) -> str:
    if section.alone:
        if len(section.passages) == 1:
            return "The document has nothing more than this passage."
        return "The passage is a section of its own; what stands before and after it is given, too."
    goes_on = [
        word for word, there in (("before", section.before), ("after", section.after)) if there
    ]
    if goes_on:
        return f"A part of the section; it goes on {' and '.join(goes_on)} these passages."
    return "The whole section, in its order:"
