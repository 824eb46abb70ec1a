"""Pages without markup, as a PDF has them: which lines are headings and which are commands. Pure.

What a page's layout told is gone, and only the lines are left. A heading is a short line that ends
no sentence, where a paragraph may begin; a command begins with a program's name and reads like no
sentence. Lines are marked and never changed: a command is quoted as the page has it.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from bot import code

__all__ = ["is_command", "marked"]

_LONGEST_HEADING = 60
_LONGEST_FOOTER = 100
_MOST_SMALL_WORDS = 1  # of those that join sentences, in a command

_FOOTER = re.compile(r".*\bpage \d+(?: (?:of|/) \d+)?|\d{1,4}", re.IGNORECASE)
_HEADING = re.compile(r"(?:\d+(?:\.\d+)*[.)]? )?(?P<words>[A-Z][^\n]*[^\s.,:;])")
_ENDS = re.compile(r"[.!?:]['\")\]]*$")
_PROGRAM = re.compile(
    r"""(?:\$\ )?(?:sudo|kubectl|oc|helm|docker|podman|crictl|ssh|scp|rsync|curl|wget|psql|pg_\w+
        |pgbackrest|patronictl|mysql|mysqldump|redis-cli|mongosh?|etcdctl|systemctl|journalctl
        |service|aws|gcloud|az|terraform|ansible(?:-\w+)?|git|gh|grep|awk|sed|tail|cat|df|du|ls|ps
        |cd|rm|cp|mv|mkdir|chmod|chown|find|kill|export|openssl|nc|dig|ping|ip|lv\w+|vg\w+|xfs_\w+
        |mount|umount|tar|dd|amtool|promtool|velero|vault|consul|nomad|rabbitmqctl|\./\S+)\ \S""",
    re.VERBOSE,
)
_SQL = re.compile(
    r"(?:select|insert|update|delete|alter|create|drop|show|grant|truncate|vacuum|explain)\b.*;$",
    re.IGNORECASE,
)
# Below a command: a comment, or what a narrow page made of its end.
_GOES_ON = re.compile(r"(?:#|--) \S|\s*(?:--?\w|\|{1,2} |&& )|\s+\S")
_SMALL_WORD = re.compile(
    r"\b(?:a|an|and|are|as|be|because|but|for|in|is|it|of|on|or|so|than|that|the|then|this|to"
    r"|until|was|when|which|with|you)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(r"\w\.(?: [A-Z]|$)")


def marked(text: str) -> str:
    """Return a page's text with Markdown's marks for its headings and commands.

    What has marks for code of its own stays as it is.
    """
    lines = text.split("\n")
    if any(code.FENCE.match(line) for line in lines):
        return text
    return "\n".join(_marked([line for line in lines if not _is_footer(line)]))


def is_command(line: str) -> bool:
    """Tell whether a line is to be typed, as far as a known program's name and its words tell."""
    if _SQL.match(line):
        return True
    return bool(
        _PROGRAM.match(line)
        and not _SPEAKS.search(line)
        and len(_SMALL_WORD.findall(line)) <= _MOST_SMALL_WORDS
    )


def _marked(lines: list[str]) -> Iterator[str]:
    in_code = False
    goes_on = False  # a backslash at the end of the line before
    before = ""
    for line, after in pairwise([*lines, ""]):
        is_code = goes_on or is_command(line) or (in_code and _GOES_ON.match(line) is not None)
        goes_on = is_code and line.endswith("\\")
        if is_code != in_code:
            yield "```"
            before = ""
        in_code = is_code
        heading = None if is_code else _heading(line, before, after)
        yield heading or line
        before = "" if heading else line
    if in_code:
        yield "```"


def _heading(line: str, before: str, after: str) -> str | None:
    """Return a heading as Markdown has it."""
    found = _HEADING.fullmatch(line) if len(line) <= _LONGEST_HEADING else None
    begins = not before.strip() or _ENDS.search(before)
    if not (found and begins and after.strip()) or _SPEAKS.search(found["words"]):
        return None
    return f"\n## {line}\n"


def _is_footer(line: str) -> bool:
    return len(line) <= _LONGEST_FOOTER and _FOOTER.fullmatch(line) is not None
