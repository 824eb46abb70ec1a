"""reStructuredText to Markdown: docutils understands it, the HTML reader writes it down.

Nothing is included, executed or fetched. What Sphinx adds is turned into what docutils knows,
so that its text stays.
"""

import re
from io import StringIO
from typing import Any

from docutils.core import publish_string
from docutils.parsers.rst import directives
from docutils.utils import SystemMessage

from retrieval.errors import UnreadableDocument
from retrieval.readers.html import HtmlText, page_to_markdown

__all__ = ["read_rst"]

_DIRECTIVE = re.compile(
    r"^(?P<indent>[ \t]*)\.\. (?P<name>[\w:+.-]+)::[ \t]*(?P<rest>.*)"
    r"(?P<options>(?:\n[ \t]+:[\w-]+:.*)*)",
    re.MULTILINE,
)
_ROLE = re.compile(r":(?:[a-z][\w+.-]*:)+`(?P<inside>[^`\n]+)`", re.IGNORECASE)
_WITH_TARGET = re.compile(r"^(?P<text>.+?)\s*<[^<>]+>$", re.DOTALL)
_ROLES_OF_CODE = frozenset({
    "code", "command", "file", "samp", "kbd", "option", "program", "envvar", "literal", "class",
    "func", "meth", "mod", "attr", "data", "obj", "exc", "const", "cmdoption",
})  # fmt: skip
_CODE = frozenset({"code", "code-block", "sourcecode"})
_KNOWN = frozenset(vars(directives)["_directive_registry"])
_UNREAD = frozenset({"toctree", "include", "literalinclude", "raw", "index", "contents"})
_SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "syntax_highlight": "none",
    "embed_stylesheet": False,
    "math_output": "LaTeX",
    "input_encoding": "unicode",
    "output_encoding": "unicode",
    "smart_quotes": False,
    "toc_backlinks": False,
    "initial_header_level": 2,
}


def read_rst(text: str, source: str) -> HtmlText:
    """Return a reStructuredText as Markdown, and its title.

    Raises:
        UnreadableDocument: docutils can't make sense of it, or it is nested too deeply.
    """
    plain = _ROLE.sub(_role, _DIRECTIVE.sub(_directive, text))
    try:
        page = publish_string(
            plain,
            writer="html5",
            settings_overrides={**_SETTINGS, "warning_stream": StringIO()},
        )
    # docutils has no one class for what its transforms can trip over.
    except (SystemMessage, RecursionError, ValueError, LookupError, AttributeError,
            TypeError, AssertionError) as error:  # fmt: skip
        raise UnreadableDocument(
            f"{source} can't be understood as reStructuredText: correct it, or name it .txt."
        ) from error
    return page_to_markdown(str(page), source)


def _directive(match: re.Match[str]) -> str:
    """Turn a directive that docutils doesn't know into an admonition of its name.

    Options that it doesn't know would cost the whole directive.
    """
    name = match["name"]
    if name in _CODE:
        return f"{match['indent']}.. {name}:: {match['rest']}"
    if name in _KNOWN or name in _UNREAD:
        return match.group()
    words = name.rpartition(":")[2].replace("-", " ").capitalize()
    return f"{match['indent']}.. admonition:: {' '.join((words, match['rest'])).strip()}"


def _role(match: re.Match[str]) -> str:
    names = match.group().partition("`")[0].strip(":").split(":")
    inside = match["inside"]
    if names[-1] in _ROLES_OF_CODE:
        return f"``{inside.lstrip('~!')}``"
    if names[-1] in {"sub", "sup", "subscript", "superscript", "math", "raw"}:
        return match.group()
    shown = _WITH_TARGET.match(inside)
    return shown["text"] if shown else inside.lstrip("~!/")
