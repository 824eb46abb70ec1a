"""Slack's mrkdwn → nodes: emphasis, code, quotes, links and mentions."""

import re

from bot.playground.composer import unescape
from bot.playground.render.nodes import Node, element, link
from bot.playground.workspace import Workspace

FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|<(?P<markup>[^<>\n]+)>"
    r"|(?<![\w*])\*(?P<strong>\S(?:[^*\n]*\S)?)\*(?![\w*])"
    r"|(?<!\w)_(?P<em>\S(?:[^_\n]*\S)?)_(?!\w)"
    r"|(?<![\w~])~(?P<s>\S(?:[^~\n]*\S)?)~(?![\w~])"
    r"|:(?P<emoji>[a-z0-9_+-]+):"
)
DATE = re.compile(r"!date\^(?P<seconds>\d{1,11})\^(?P<form>[^^]+)(?:\^.*)?")
EMOJI_NAME = re.compile(r":([a-z0-9_+-]+):")
EMOJI = {
    "mag": "🔍",
    "warning": "⚠️",
    "white_check_mark": "✅",
    "x": "❌",
    "eyes": "👀",
    "book": "📖",
    "books": "📚",
    "page_facing_up": "📄",
    "thumbsup": "👍",
    "thumbsdown": "👎",
    "+1": "👍",
    "-1": "👎",
    "hourglass": "⌛",
    "hourglass_flowing_sand": "⏳",
    "bulb": "💡",
    "link": "🔗",
    "rotating_light": "🚨",
    "information_source": "ℹ️",
    "wave": "👋",
    "no_entry": "⛔",
    "question": "❓",
    "pencil2": "✏️",
    "memo": "📝",
    "arrows_counterclockwise": "🔄",
    "octagonal_sign": "🛑",
}


def render(text: str, workspace: Workspace) -> list[Node]:
    """The text (in its escaped form) as nodes."""
    nodes: list[Node] = []
    for index, part in enumerate(FENCE.split(text)):
        if index % 2:
            nodes.append(element("pre", element("code", unescape(part))))
        elif part.strip("\n"):
            nodes += _lines(part.strip("\n"), workspace)
    return nodes


def emoji(text: str) -> str:
    """Plain text with the names of known emoji replaced."""
    return EMOJI_NAME.sub(lambda match: EMOJI.get(match[1], match[0]), text)


def _lines(text: str, workspace: Workspace) -> list[Node]:
    """Lines outside fences; quoted ones are gathered."""
    nodes: list[Node] = []
    quoted: list[Node] = []
    plain: list[Node] = []
    for line in [*text.split("\n"), None]:
        mark = None if line is None else re.match(r"(?:&gt;|>) ?", line)
        if mark is None and quoted:
            nodes.append(element("blockquote", *quoted))
            quoted = []
        if (mark is not None or line is None) and plain:
            nodes.append(element("p", *plain))
            plain = []
        if line is None:
            break
        target = plain if mark is None else quoted
        if target:
            target.append(element("br"))
        target += inline(line if mark is None else line[mark.end() :], workspace)
    return nodes


def inline(text: str, workspace: Workspace) -> list[Node]:
    """One line as nodes."""
    nodes: list[Node] = []
    position = 0
    for match in INLINE.finditer(text):
        if match.start() > position:
            nodes.append(unescape(text[position : match.start()]))
        nodes.append(_inline_node(match, workspace))
        position = match.end()
    if position < len(text):
        nodes.append(unescape(text[position:]))
    return nodes


def _inline_node(match: re.Match[str], workspace: Workspace) -> Node:
    for tag in ("strong", "em", "s"):
        if match[tag]:
            return element(tag, *inline(match[tag], workspace))
    if match["code"]:
        return element("code", unescape(match["code"]))
    if match["emoji"]:
        return EMOJI.get(match["emoji"], match.group(0))
    return _markup(match["markup"], workspace)


def _markup(markup: str, workspace: Workspace) -> Node:
    target, _, label = markup.partition("|")
    if target.startswith("@"):
        user = workspace.users.get(target[1:])
        return element("span", f"@{user.real_name if user else target[1:]}", kind="mention")
    if target.startswith("#"):
        channel = workspace.channels.get(target[1:])
        return element(
            "span", f"#{channel.name if channel else label or target[1:]}", kind="mention"
        )
    if date := DATE.fullmatch(target):
        seconds, form = int(date["seconds"]), unescape(date["form"])
        return element("time", unescape(label)) | {"seconds": seconds, "format": form}
    if target.startswith("!"):
        return element("span", unescape(label) or f"@{target[1:].partition('^')[0]}", kind="ping")
    return link(unescape(target), unescape(label or target))
