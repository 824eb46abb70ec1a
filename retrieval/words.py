"""Words that are looked for in another text, which may write some of them in another form. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from retrieval.tokens import compounds, query_tokens

__all__ = ["Words"]


@dataclass(frozen=True, slots=True)
class Words:
    """The telling tokens of a text; a compound (`failov`) stands for its words (`fail`, `over`)."""

    tokens: frozenset[str]
    parts: Mapping[str, tuple[str, ...]]

    @staticmethod
    def of(text: str) -> "Words":
        """Return those of a text."""
        return Words(frozenset(query_tokens(text)), compounds(text))

    @property
    def wanted(self) -> frozenset[str]:
        """The tokens without the compounds."""
        return self.tokens.difference(self.parts)

    def share(self, held: Collection[str]) -> float:
        """Return the share (0 to 1) of the words that a text's tokens hold, in either form."""
        wanted = self.wanted
        found = wanted.intersection(held)
        for joined, parts in self.parts.items():
            if joined in held:
                found |= wanted.intersection(parts)
        return len(found) / len(wanted) if wanted else 0.0
