"""What is said about a document beside its text: by whoever brings it, and by itself."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

__all__ = ["Said", "one_line", "title_from_name", "web_link"]

_LINK = re.compile(r"https?://[^\s<>|\"]+")
_MAX_LABEL = 200


@dataclass(frozen=True, slots=True)
class Said:
    """Labels as one source of them gives them; None where it says nothing."""

    title: str | None = None
    service: str | None = None
    doc_type: str | None = None
    link: str | None = None

    def over(self, other: "Said") -> "Said":
        """These labels, and the other's where these say nothing."""
        return Said(
            title=self.title or other.title,
            service=self.service or other.service,
            doc_type=self.doc_type or other.doc_type,
            link=self.link or other.link,
        )


def one_line(value: object) -> str | None:
    """A label's value as one short line; None for nothing, and for what is no plain value."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        words = str(value).split()
    except ValueError:  # a number of more than 4,300 digits
        return None
    return " ".join(words)[:_MAX_LABEL].strip() or None


def web_link(value: object) -> str | None:
    """A link that a reply may show: http or https, without what would break its markup."""
    return value if isinstance(value, str) and _LINK.fullmatch(value) else None


def title_from_name(name: str) -> str:
    """A title out of a file's name: `redis-failover.md` is "Redis failover"."""
    path = PurePosixPath(name.replace("\\", "/"))
    words = " ".join(re.sub(r"[-_\s]+", " ", path.stem).split())
    if not words:
        return name
    return words if words != words.lower() else words[0].upper() + words[1:]
