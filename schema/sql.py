"""Named queries, read from `.sql` files.

A file holds queries that each begin with a line `-- name: words_like_this`, followed by a
sentence in comment lines and the statement. `load(__package__, "queries.sql")` returns them by
name. The texts ship with the program, which is why they may count as literal strings.
"""

import re
from collections.abc import Mapping
from importlib import resources
from typing import LiteralString, cast

__all__ = ["load", "read"]

_NAME = re.compile(r"^-- name: (?P<name>\w+)[ \t]*$", re.MULTILINE)


def read(package: str, path: str) -> LiteralString:
    """Return the text of a `.sql` file that ships inside a package."""
    return cast("LiteralString", resources.files(package).joinpath(path).read_text("utf-8"))


def load(package: str, path: str) -> Mapping[str, LiteralString]:
    """Return the queries of one file by name.

    Raises:
        ValueError: a name occurs twice, or the file has none.
    """
    text = read(package, path)
    marks = list(_NAME.finditer(text))
    if not marks:
        raise ValueError(f"{package}/{path} holds no line '-- name: …'")
    queries: dict[str, LiteralString] = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        name = mark["name"]
        if name in queries:
            raise ValueError(f"{package}/{path} names {name} twice")
        body = text[mark.end() : following.start() if following else None]
        queries[name] = body.strip()
    return queries
