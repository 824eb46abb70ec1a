"""Front matter: the labels a Markdown or AsciiDoc text says of itself, in YAML or TOML."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import yaml

from retrieval.errors import UnreadableDocument
from retrieval.readers.labels import Said, one_line, web_link

__all__ = ["said_in", "split_front_matter"]

_YAML = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST = 65_536
_KEYS = {"type": "doc_type", "doctype": "doc_type", "url": "link"}
_NO_VALUE = frozenset({"~", "null", "true", "false"})
# A rule has prose behind it; whoever writes a key right below the marks means front matter.
_YAML_KEY = re.compile(r"[\w\"'-]+[ \t]*:(?:\s|$)")
_TOML_KEY = re.compile(r"(?:[\w\"'.-]+[ \t]*=|\[[\w.-]+\])")
_TOML_LINE = re.compile(r"\(at line (\d+)")


class _Words(yaml.CBaseLoader):
    """Every value is text as it was written: numbers, dates and tags can't go wrong."""

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        """Return the text; what YAML calls nothing, or true or false, labels nothing."""
        plain = not node.style and node.value.casefold() in _NO_VALUE
        return "" if plain else super().construct_scalar(node)


def split_front_matter(text: str, source: str) -> tuple[Said, str]:
    """The labels of the YAML (`---`) or TOML (`+++`) block at the top, and the text after it.

    A block that doesn't begin with a key and is no mapping is no front matter (`---` is also a
    rule) and stays in the text.

    Raises:
        UnreadableDocument: it begins with a key, but is no valid YAML or TOML.
    """
    head = text[:_MOST]
    if match := _YAML.match(head):
        kind, key, parse = "YAML", _YAML_KEY, _parse_yaml
    elif match := _TOML.match(head):
        kind, key, parse = "TOML", _TOML_KEY, _parse_toml
    else:
        return Said(), text
    block = match.group(1)
    try:
        parsed = parse(block)
    # What a parser can trip over has no common class, and it may be nested too deeply.
    except Exception as error:
        if not key.match(block):
            return Said(), text
        raise UnreadableDocument(
            f"{source} has front matter that is no valid {kind} (line {_line(error, block)}): "
            "correct it, often it takes quotation marks around a value."
        ) from error
    if not isinstance(parsed, dict):
        return Said(), text
    return said_in(parsed), text[match.end() :]


def _parse_yaml(block: str) -> object:
    parsed: object = yaml.load(block, Loader=_Words)  # noqa: S506 - it builds text only
    return {} if parsed is None else parsed


def _parse_toml(block: str) -> object:
    return tomllib.loads(block)


def _line(error: Exception, block: str) -> int:
    """Return the line of the file where a parser stopped; the block begins in its second."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return error.problem_mark.line + 2
    if isinstance(error, yaml.reader.ReaderError):
        return block.count("\n", 0, error.position) + 2
    told = _TOML_LINE.search(str(error))
    return int(told.group(1)) + 1 if told else 2


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
