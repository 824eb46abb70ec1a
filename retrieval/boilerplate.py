"""Is a chunk nothing but a table of contents, a list of links or badges? Pure.

Such a chunk names what was asked and answers nothing. It stays stored and can be found: for
"where is the page on X?" it may be all there is.
"""

import re

__all__ = ["is_boilerplate"]

_BADGE = re.compile(
    r"\[?!\[[^\]\n]*\]\([^)\n]*\)(?:\]\([^)\n]*\))?|\[?!\[[^\]\n]*\]\[[^\]\n]*\]\]?(?:\[[^\]\n]*\])?"
)
_LINK = re.compile(r"\[[^\]\n]+\](?:\([^)\n]*\)|\[[^\]\n]*\])|<?https?://[^\s<>]+>?")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s*\S+.*$", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s.*$|^.+\n {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_CONTENTS = re.compile(r"^.*\S[ \t]*(?:\.[ \t]?){4,}[ \t]*\d{1,4}[ \t]*$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"^[ \t>]*(?:`{3}|~{3})", re.MULTILINE)
_DOTS = re.compile(r"\.[ \t]?\.[ \t]?\.[ \t]?\.")

_FEWEST = 3
"""One or two links are a hint to follow ("moved to …"), which may be the answer."""

_MOST_WORDS_A_LINK = 2.0
_MOST_WORDS = 0.25


def is_boilerplate(text: str) -> bool:
    """Say whether a text holds three or more links, badges or entries and hardly another word.

    Headings don't count. A link with a sentence beside it says something, and so does code.
    """
    # Most chunks have none of it, and a search looks at forty.
    if text.count("[") + text.count("://") < _FEWEST and not _DOTS.search(text):
        return False
    if _FENCE.search(text):
        return False
    bare = _HEADING.sub("", text)
    bare, definitions = _DEFINITION.subn("", bare)
    bare, badges = _BADGE.subn(" ", bare)
    bare, entries = _CONTENTS.subn(" ", bare)
    linked = entries * _FEWEST
    linked += sum(len(_WORD.findall(link)) for link in _LINK.findall(bare))
    bare, links = _LINK.subn(" ", bare)
    found = links + badges + entries + definitions
    if found < _FEWEST:
        return False
    words = sum(not word.isdigit() for word in _WORD.findall(bare))
    few = words <= _MOST_WORDS * (linked + words)
    return few or (words <= found * _MOST_WORDS_A_LINK and words < linked)
