"""Front matter: the labels a Markdown or AsciiDoc text says of itself, in YAML or TOML."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import yaml

from retrieval.readers.labels import Said, one_line, web_link

__all__ = ["said_in", "split_front_matter"]

_YAML = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST = 65_536
_KEYS = {"type": "doc_type", "doctype": "doc_type", "url": "link"}


def split_front_matter(text: str) -> tuple[Said, str]:
    """The labels of the YAML (`---`) or TOML (`+++`) block at the top, and the text after it.

    What is no mapping in valid YAML or TOML is no front matter (`---` is also a rule) and stays.
    """
    head = text[:_MOST]
    if match := _YAML.match(head):
        try:
            parsed: object = yaml.safe_load(match.group(1))
        except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date like 2024-13-45
            return Said(), text
        parsed = {} if parsed is None else parsed
    elif match := _TOML.match(head):
        try:
            parsed = tomllib.loads(match.group(1))
        except (tomllib.TOMLDecodeError, ValueError, RecursionError):
            return Said(), text
    else:
        return Said(), text
    if not isinstance(parsed, dict):
        return Said(), text
    return said_in(parsed), text[match.end() :]


def said_in(values: Mapping[Any, object]) -> Said:
    """The labels among named values; Hugo keeps what is not its own below `params`."""
    said: dict[str, object] = {}
    inner = values.get("params")
    for mapping in (values, inner if isinstance(inner, dict) else {}):
        for key, value in mapping.items():
            name = str(key).lower().replace("-", "_")
            said.setdefault(_KEYS.get(name, name), value)
    return Said(
        title=one_line(said.get("title")),
        service=one_line(said.get("service")),
        doc_type=one_line(said.get("doc_type")),
        link=web_link(said.get("link")),
    )
