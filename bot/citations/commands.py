"""Code of a claim: whether a cited chunk has it byte for byte, and whether it destroys. Pure.

A line of a block must be a whole line (or a whole code span) of the chunk, apart from indentation,
a prompt and a comment after it; a code span must stand there within its own borders. Where only
spaces or typographic quotes and dashes differ, the chunk's bytes are shown.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot import code

__all__ = ["Original", "block_lines", "destroys", "destroys_in_prose", "span_content"]

_LONGEST = 2_000  # characters of a line that may be looked for in other typography

# What takes a verb that destroys, and these verbs; not where the verb is only asked or told about.
_TOOLS = (
    r"(?:kubectl|oc|helm|docker|podman|nerdctl|crictl|aws|gcloud|gsutil|az|doctl|terraform|tofu"
    r"|terragrunt|pulumi|vault|consul|nomad|etcdctl|kafka-\w+(?:\.sh)?|rabbitmqctl|lvm|zfs|zpool"
    r"|redis-cli|mc|s3cmd|openstack|rclone|velero|argocd|flux|istioctl|eksctl|pg_\w+|git|gh|ceph"
    r"|btrfs|virsh|apt(?:-get)?|dnf|yum)"
)
_ONLY_TELLS = r"\s+(?:auth\s+can-i|explain|help|logs?|diff)\b"
_VERBS = (
    r"(?:delete|destroy|drain|evict|rm|rmi|rb|prune|purge|uninstall|terminate[\w-]*|remove|flush"
    r"|delete-[\w-]+|deregister-[\w-]+|del|unlink|reset|purge_queue|delete_queue)"
)
_FILES = (
    r"\brm\s+(?:-\S+\s+){0,5}(?:-\w*[rf]\w*|--recursive|--force)\b|\bshred\s+-"
    r"|\bfind\s[^\n|;]{0,300}?\s-delete\b|\btruncate\s+(?:-s|--size)|--delete\b"
    r"|\bfind\s[^\n|;]{0,300}?\s-exec(?:dir)?\s+(?:sudo\s+)?(?:rm|unlink|shred)\b"
    r"|\bxargs\b(?:\s+-\S+|\s+\d+){0,6}\s+(?:sudo\s+)?(?:rm|unlink|shred)\b"
)
_DISKS = (
    r"\b(?:lv(?:extend|resize|reduce|remove)|vg(?:reduce|remove)|pvremove|resize2fs)\s+[-/\w]"
    r"|\bmkfs(?:\.\w+)?\b|\bwipefs\b|\bsgdisk\b[^\n]{0,80}?\s(?:-Z|-o|--zap)|\bmklabel\b"
    r"|\bdd\b[^\n]{0,200}?\bof=|>\s*/dev/(?:sd|nvme|vd)"
)
_DATA = (
    r"\bdrop\s+(?:table|database|schema|index|view|user|role|keyspace|collection|column)\b"
    r"|\btruncate\s+table\s+\w|\bdelete\s+from\s+\w|\bflush(?:all|db)\b|\bdrop(?:db|user)\b"
    r"|\bpg_reset(?:wal|xlog)\b|\bpg_drop_replication_slot\s*\(|\bpurge\s+binary\s+logs\b"
    r"|\bdropDatabase\s*\(|\bdb\.\w+\.(?:drop|remove|delete(?:One|Many))\s*\("
    r"|\baccept_data_loss[\"']?\s*[:=]\s*[\"']?true\b|\b_delete_by_query\b"
    r"|(?:-X|--request)[\s=]*[\"']?DELETE\b"
)
_FORCED = (
    r"--replicas(?:=|\s+)[\"']?0\b|--force\b|--hard\b|-auto-approve\b|--yes-i-really-\w|\s-purge\b"
    r"|\bgit\s+push\b[^\n]{0,200}?\s(?:-f\b|\+\w)|\bgit\s+clean\s+-\w*f"
    r"|\bpatronictl\b[^\n|;&]{0,200}?\s(?:failover|reinit|remove)\b"
    r"|\b(?:kill\s+-(?:9|KILL)|killall|pkill)\b|\bchmod\s+-R\b|\biptables\s+(?:-F|--flush)\b"
)
_COMMANDS = "|".join(
    (
        rf"\b{_TOOLS}\b(?!{_ONLY_TELLS})[^\n|;&]{{0,200}}?\s{_VERBS}\b(?!\s+--help\b)",
        _FILES,
        _DISKS,
        _DATA,
        _FORCED,
    )
)
# Where a command begins: words that are common elsewhere are one only there.
_BEGINS = (
    r"(?:^[ \t]*(?:\$ )?|[;&|({]\s*|\b(?:sudo|xargs|then|do)\b(?:\s+-u\s+\S+|\s+-\S+){0,4}\s+)"
)
_IN_CODE = re.compile(
    rf"{_COMMANDS}"
    rf"|{_BEGINS}(?:(?:shutdown|reboot|poweroff|halt|init\s+[06])\b(?!-)"
    r"|(?:rm|unlink|userdel|groupdel)\s+\S|crontab\s+-r\b|(?::|cat\s+/dev/null)\s*>\s*\S"
    r"|(?:https?\s+)?DELETE\s+[\"']?(?:/|https?:)\S)"
    r"|\btruncate\s+\w|\bdrop\b\s+\w|\bscale\b[^\n]{0,80}?\bto\s+(?:0|zero)\b",
    re.IGNORECASE | re.MULTILINE,
)
# Prose speaks of Docker and of removing things, too: there the verb must follow like a command's.
_IN_PROSE = re.compile(
    rf"\b{_TOOLS}(?:\s+(?!(?:to|and|or|can|will|may|must)\b)[\w./=:-]+){{0,6}}?\s+{_VERBS}\s+[\w./-]+"
    r"|\brm\s+(?:-\S+\s+){0,5}-\w*[rf]\w*\s+\S+"
    r"|\b(?:DROP\s+[A-Z]+|TRUNCATE|DELETE\s+FROM|FLUSHALL|FLUSHDB)\b(?:\s+\w+)?"
    r"|--replicas(?:=|\s+)[\"']?0\b|--force\b|--hard\b|-auto-approve\b"
    r"|\bmkfs\.\w+|\bdd\s+(?:\w+=\S+\s+){0,6}of=\S+"
    r"|\bfind\s+[./~]\S*(?:\s+\S+){0,12}?\s-delete\b|\blv(?:extend|resize|reduce|remove)\s+[-/]\S+"
    r"|\bpg_drop_replication_slot\s*\(|-X\s*DELETE\s+\S+|\bDELETE\s+/\S+"
)

_PROMPT = re.compile(r"^(?:[$#%>]|\S{1,40}[$#%]) +")
_COMMENT = re.compile(r"\s+(?:#|//|--) .*$")
_ONLY_COMMENT = re.compile(r"\s*(?:#|//|-- )")
_SINGLE, _DOUBLE = "['‘’‚]", '["“”„]'
_TYPOGRAPHY = {
    **dict.fromkeys("'‘’‚", _SINGLE),
    **dict.fromkeys('"“”„', _DOUBLE),
    **dict.fromkeys("–—‑", "(?:--?|[–—‑])"),
}
_VARIES = re.compile(f"[{''.join(_TYPOGRAPHY)}]")


def destroys(text: str) -> bool:
    """Tell whether code deletes, drops, resets, forces or stops something."""
    return _IN_CODE.search(text.replace("\\\n", " ")) is not None


def destroys_in_prose(text: str) -> str:
    """Return what in a sentence is written like a destructive command, or an empty text."""
    found = _IN_PROSE.search(code.masked(text))
    return found[0] if found else ""


def span_content(span: str) -> str:
    """Return the code of a span: without its backticks and the one space beside each."""
    ticks = len(span) - len(span.lstrip("`"))
    inner = span[ticks : len(span) - ticks].replace("\n", " ")
    padded = inner.startswith(" ") and inner.endswith(" ") and inner.strip()
    return inner[1:-1] if padded else inner


def block_lines(block: str) -> list[str]:
    """Return the lines between a block's fences."""
    first, *rest = block.removesuffix("\n").split("\n")
    mark = code.FENCE.match(first)
    closed = bool(rest) and mark is not None and code.closes(rest[-1], mark["fence"])
    return rest[:-1] if closed else rest


def _spans(text: str) -> set[str]:
    return {span_content(text[start:end]).strip() for start, end in code.spans(text)}


@dataclass(frozen=True, slots=True)
class Original:
    """The text of the chunks that a claim cites, as code is looked for in it."""

    text: str
    units: frozenset[str]

    @staticmethod
    def of(texts: Iterable[str]) -> "Original":
        """Return the chunks' text and its units: whole lines and whole code spans."""
        text = "\n".join(texts)
        text = f"{text}\n{text.replace(chr(92) + '|', '|')}" if "\\|" in text else text
        units: set[str] = set()
        prose: list[str] = []  # a span may go on in the next line
        for line, is_code in code.lines(text):
            bare = line.strip()
            plain = _PROMPT.sub("", bare)
            units |= {bare, plain, _COMMENT.sub("", plain)}
            if not is_code:
                units |= _spans(line)
            prose.append("" if is_code else bare)
        for paragraph in "\n".join(prose).split("\n\n"):
            units |= _spans(paragraph)
        units.discard("")
        return Original(text, frozenset(units))

    def line(self, line: str, *, whole: bool) -> str | None:
        """Return a line of a block with the chunk's bytes, or nothing when the chunk lacks it.

        A comment or an empty line is what it is. `whole`: it must be a unit, else it may also
        stand within a line of prose, since documents without Markdown have commands there.
        """
        bare = line.strip()
        if not bare or _ONLY_COMMENT.match(line) or bare in self.units:
            return line
        prompt = _PROMPT.match(bare)
        if prompt and bare[prompt.end() :] in self.units:
            return line
        found = self._loosely(bare, whole=whole)
        if found is None:
            return None
        return line[: len(line) - len(line.lstrip())] + found

    def span(self, content: str, *, whole: bool) -> str | None:
        """Return the code of a span with the chunk's bytes, or nothing when the chunk lacks it."""
        bare = content.strip()
        if not bare or bare in self.units:
            return content
        return self._loosely(bare, whole=whole)

    def _loosely(self, bare: str, *, whole: bool) -> str | None:
        words = bare.split()
        sure = (word for word in words if not _VARIES.search(word))
        if len(bare) > _LONGEST or any(word not in self.text for word in sure):
            return None
        loose = (_VARIES.sub(lambda char: _TYPOGRAPHY[char[0]], re.escape(word)) for word in words)
        before = r"(?<![\w/.-])" if bare[0].isalnum() else ""
        after = r"(?![\w/-])" if bare[-1].isalnum() else ""
        for match in re.finditer(before + r"[ \t]+".join(loose) + after, self.text):
            if not whole or match[0] in self.units:
                return match[0]
        return None
