"""The migrations that ship with this program: ours, the engines' and the queue's."""

import hashlib
import importlib.metadata
import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import LiteralString, cast

from schema.errors import SchemaError
from schema.facts import Facts
from schema.sql import read

__all__ = ["ENGINES", "QUEUE_BASE", "Migration", "Shipped", "load"]

ENGINES = ("vchord", "pg_search", "sql")
QUEUE_BASE = "procrastinate/schema.sql"
_NAME = re.compile(r"\d{4}_\w+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """A file to be applied: its text as stored, and a value noted with it (engine, version)."""

    name: str
    text: LiteralString
    value: str | None = None

    @property
    def sha256(self) -> str:
        """The sha256 of the text, as hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Shipped:
    """All of them. `queue_steps` bring older queue tables to what `queue_base` makes at once."""

    own: Sequence[Migration]
    engines: Mapping[str, Migration]
    queue_base: Migration
    queue_steps: Sequence[Migration]

    def for_database(self, found: Facts, engine: str) -> list[Migration]:
        """Return those that a database with this engine must have, in the order of applying."""
        base = found.applied.get(QUEUE_BASE)
        if base is None:
            queue = [self.queue_base]
        else:
            since = _version(base.value)
            queue = [self.queue_base, *(s for s in self.queue_steps if _version(s.value) > since)]
        return [*self.own, self.engines[engine], *queue]


def load() -> Shipped:
    """Read the files; blocking.

    Raises:
        SchemaError: the queue's package is missing.
    """
    folder = resources.files("schema").joinpath("migrations")
    names = sorted(file.name for file in folder.iterdir() if _NAME.fullmatch(file.name))
    queue = _queue_folder()
    return Shipped(
        own=[Migration(name, read("schema", f"migrations/{name}")) for name in names],
        engines={engine: _create(engine) for engine in ENGINES},
        queue_base=Migration(
            QUEUE_BASE, _read(queue / "schema.sql"), importlib.metadata.version("procrastinate")
        ),
        # 03.04.00_01_pre_words.sql, where 03.04.00 is the version that needs it
        queue_steps=[
            Migration(f"procrastinate/{path.name}", _read(path), path.name.split("_")[0])
            for path in sorted((queue / "migrations").glob("*.sql"))
        ],
    )


def _create(engine: str) -> Migration:
    name = f"engines/{engine}/create.sql"
    return Migration(name, read("schema", name), engine)


def _queue_folder() -> Path:
    # Found without importing the package, whose import makes an application.
    spec = importlib.util.find_spec("procrastinate")
    if spec is None or not spec.submodule_search_locations:
        raise SchemaError("procrastinate isn't installed: install footnote's requirements.")
    return Path(spec.submodule_search_locations[0]) / "sql"


def _read(path: Path) -> LiteralString:
    return cast("LiteralString", path.read_text(encoding="utf-8"))


def _version(text: str | None) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text or "")[:3])
