"""A list item while a passage is read: words and code, in their order."""

from dataclasses import dataclass

__all__ = ["Item", "Part"]


@dataclass(slots=True)
class Part:
    """Words of a list item, and the code that they lead into."""

    lines: list[str]
    block: str = ""

    @property
    def text(self) -> str:
        """The words, on one line."""
        return " ".join(line.strip() for line in self.lines if line.strip())


@dataclass(slots=True)
class Item:
    """A list item being read: its mark, and its parts in their order."""

    mark: str
    parts: list[Part]

    @property
    def numbered(self) -> bool:
        """Whether its list says in which order."""
        return self.mark[0].isdigit()

    @property
    def has_code(self) -> bool:
        """Whether any code belongs to it."""
        return any(part.block for part in self.parts)

    @property
    def may_go_on(self) -> bool:
        """Whether a line without indentation belongs to it (lazily, says Markdown)."""
        return not self.parts[-1].block and self.parts[-1].lines[-1] != ""

    @property
    def leads_on(self) -> bool:
        """Whether code beside it is likely its own."""
        last = self.parts[-1]
        beside = last.lines[-1] != "" or last.text.endswith(":")
        return self.numbered or (beside and not last.block)

    def line(self, line: str) -> None:
        """Take a line. What comes after code is no lead-in to it."""
        if not self.parts[-1].block:
            self.parts[-1].lines.append(line)
        elif line:
            self.parts.append(Part([line]))

    def code(self, block: str) -> None:
        """Take a code block."""
        last = self.parts[-1]
        last.block = f"{last.block}\n{block}" if last.block else block
