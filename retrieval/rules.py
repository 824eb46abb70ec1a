"""Labels by path: rules a person gives for documents that don't say what they are about.

`GLOB=SERVICE`, `GLOB=SERVICE:DOC_TYPE` or `GLOB=:DOC_TYPE`. In a glob, `*` and `?` stay within a
folder and `**` goes through any number of them; one without a slash is for names in any folder,
one that ends with a slash for all below. Capital letters count.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.errors import RetrievalError

__all__ = ["BadRule", "Rule", "parse_rule", "said_by_rules"]

_PART = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_AS_REGEX = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


class BadRule(RetrievalError):
    """A rule isn't of the form GLOB=SERVICE:DOC_TYPE."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is said of the documents whose path fits; None where it says nothing."""

    pattern: re.Pattern[str]
    service: str | None
    doc_type: str | None


def parse_rule(text: str) -> Rule:
    """Return the rule that a person wrote.

    Raises:
        BadRule: there is no glob, or nothing is said.
    """
    glob, _, said = text.rpartition("=")
    service, _, doc_type = (part.strip() for part in said.partition(":"))
    if not glob.strip() or not (service or doc_type):
        raise BadRule(
            f"The rule “{text}” is not of the form GLOB=SERVICE:DOC_TYPE, as in "
            "“payments/**=payments:runbook”."
        )
    return Rule(_pattern(glob.strip()), service or None, doc_type or None)


def said_by_rules(rules: Sequence[Rule], path: str) -> tuple[str | None, str | None]:
    """Return service and doc_type for a path (with slashes), each from the first rule that says."""
    fitting = [rule for rule in rules if rule.pattern.fullmatch(path)]
    service = next((rule.service for rule in fitting if rule.service), None)
    return service, next((rule.doc_type for rule in fitting if rule.doc_type), None)


def _pattern(glob: str) -> re.Pattern[str]:
    anchored = glob.removeprefix("./").lstrip("/")
    if anchored.endswith("/"):
        anchored += "**"
    if "/" not in anchored:
        anchored = f"**/{anchored}"
    parts = (part.group() for part in _PART.finditer(anchored))
    return re.compile("".join(_AS_REGEX.get(part, re.escape(part)) for part in parts), re.DOTALL)
