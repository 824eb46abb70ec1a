"""What a person types, turned into the text Slack sends to apps.

`& < >` are escaped, `@Name` becomes `<@U…>`, `#channel` becomes `<#C…|name>`, `@here` becomes
`<!here>` and addresses become `<https://…>`. Code in backticks stays as typed (but escaped).
"""

import re

from bot.playground.wire import Json
from bot.playground.workspace import Workspace

CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
URL = re.compile(r"https?://[^\s<>|]+[^\s<>|.,;:!?)\]}'\"]")
REFERENCE = re.compile(r"<@([A-Z0-9]+)>")
MARKUP = re.compile(r"<(@[A-Z0-9]+|#[A-Z0-9]+\|[^>]*|![a-z]+|https?://[^>]+)>")


def escape(text: str) -> str:
    """Slack's escaping of the three control characters."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def encode(typed: str, workspace: Workspace) -> str:
    """The `text` of a message somebody typed. `<@U…>` of a known member is taken as a mention."""
    parts = CODE.split(typed)
    return "".join(
        escape(part) if index % 2 else _encode_prose(part, workspace)
        for index, part in enumerate(parts)
    )


def decode(text: str, workspace: Workspace) -> str:
    """What somebody would have typed for a message's `text`: the inverse of `encode`."""

    def convert(match: re.Match[str]) -> str:
        target, _, label = match.group(1).partition("|")
        if target.startswith("@"):
            user = workspace.users.get(target[1:])
            return f"@{user.real_name}" if user else match.group(0)
        if target.startswith("#"):
            return f"#{label}"
        return f"@{target[1:]}" if target.startswith("!") else target

    return unescape(MARKUP.sub(convert, text))


def _encode_prose(prose: str, workspace: Workspace) -> str:
    names = {user.real_name.lower(): user.id for user in workspace.users.values()}
    names |= {user.name: user.id for user in workspace.users.values()}
    channels = {
        channel.name: channel.id for channel in workspace.channels.values() if not channel.is_im
    }

    def convert(match: re.Match[str]) -> str:
        found = match.group(0)
        if match["url"]:
            return f"<{escape(found)}>"
        if match["ref"]:
            known = workspace.is_one_of_ours(match["ref"])
            return found if known else escape(found)
        if match["all"]:
            return f"<!{match['all']}>"
        if match["user"]:
            return f"<@{names[match['user'].lower()]}>"
        if match["channel"]:
            return f"<#{channels[match['channel']]}|{match['channel']}>"
        return escape(found)

    pattern = re.compile(
        rf"(?P<url>{URL.pattern})"
        r"|<@(?P<ref>[A-Z0-9]+)>"
        r"|(?<!\w)@(?P<all>here|channel|everyone)\b"
        rf"|(?<!\w)@(?P<user>{_alternatives(names)})(?!\w)"
        rf"|(?<![\w&])\#(?P<channel>{_alternatives(channels)})(?![\w-])"
        r"|[&<>]",
        re.IGNORECASE,
    )
    return pattern.sub(convert, prose)


def _alternatives(names: dict[str, str]) -> str:
    """The names as a pattern, longest first; matches nothing when there are none."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"(?!)"


def rich_text(text: str) -> list[Json]:
    """The rich_text block Slack's composer sends beside `text`."""
    elements: list[Json] = []
    position = 0
    for match in MARKUP.finditer(text):
        if match.start() > position:
            elements.append({"type": "text", "text": unescape(text[position : match.start()])})
        elements.append(_element(match.group(1)))
        position = match.end()
    if position < len(text):
        elements.append({"type": "text", "text": unescape(text[position:])})
    section: Json = {"type": "rich_text_section", "elements": elements}
    return [{"type": "rich_text", "block_id": "typed", "elements": [section]}]


def _element(markup: str) -> Json:
    if markup.startswith("@"):
        return {"type": "user", "user_id": markup[1:]}
    if markup.startswith("#"):
        return {"type": "channel", "channel_id": markup[1:].split("|", maxsplit=1)[0]}
    if markup.startswith("!"):
        return {"type": "broadcast", "range": markup[1:]}
    return {"type": "link", "url": unescape(markup)}
