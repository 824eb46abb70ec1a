"""The fields of the settings' forms, and what was entered in them. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from bot.channel_settings import ChannelSettings, Ingest, Mode
from bot.filters import Known
from bot.listeners.bots import Seen
from bot.listeners.forms import Block, choice, choices, entered, field, option, section
from bot.mrkdwn import one_line
from bot.service_settings import ServiceSettings

__all__ = [
    "MODE",
    "ONCALL",
    "channel_entered",
    "channel_fields",
    "channel_problems",
    "service_entered",
    "service_fields",
    "service_problems",
]

MODE: Final = "mode"
ONCALL: Final = "oncall"

_MODES: Final[Mapping[Mode, str]] = {
    "mention": "Answer mentions only",
    "follow": "Follow the thread after a mention",
    "all": "Answer every question, if a runbook does",
}
_INGEST: Final[Mapping[Ingest, str]] = {
    "default": "Whoever may in the workspace",
    "admins": "Admins only",
    "nobody": "Nobody",
}
_WATCH: Final = {"off": "Off", "on": "On: answer alerts of the bots above"}
_TARGET: Final = re.compile(r"(?:<!subteam\^|<@)?(?P<id>[SUW][A-Z0-9]{5,20})(?:\|[^>]*)?>?")


def channel_fields(now: ChannelSettings, there: Known, seen: Sequence[Seen]) -> list[Block]:
    """Return the form of a channel, filled in with what is set."""
    services = choices("services", sorted({*there.services, *now.services}), now.services)
    types = choices("types", sorted({*there.doc_types, *now.doc_types}), now.doc_types)
    bots = choices("bots", [option(each.id, each.name) for each in seen], now.bots)
    watch = "on" if now.alert_watch else "off"
    fields = [field(MODE, "When I answer", _choice(MODE, _MODES, now.mode))]
    if bots is None:
        fields.append(section("No bot has posted here lately that could be allowed to ask."))
    else:
        hint = "They may ask by a mention. Nobody chosen: no bot may."
        fields.append(field("bots", "Bots that may ask", bots, hint))
    fields.append(field("watch", "Alert watch", _choice("watch", _WATCH, watch)))
    nothing = "Nothing chosen: all of them."
    if services is not None:
        fields.append(field("services", "Search only these services", services, nothing))
    if types is not None:
        fields.append(field("types", "Search only these types", types, nothing))
    fields.append(field("ingest", "Who may add documents", _choice("ingest", _INGEST, now.ingest)))
    return [*fields, section("Owner and on-call of a service: `/footnote settings SERVICE`.")]


def channel_entered(view: Mapping[str, Any]) -> ChannelSettings:
    """Return what was entered for a channel."""
    return ChannelSettings(
        mode=cast("Mode", _first(view, MODE, "follow")),
        bots=tuple(entered(view, "bots")),
        services=tuple(entered(view, "services")),
        doc_types=tuple(entered(view, "types")),
        ingest=cast("Ingest", _first(view, "ingest", "default")),
        alert_watch=_first(view, "watch", "off") == "on",
    )


def channel_problems(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what can't be as it was entered, by field."""
    chosen = channel_entered(view)
    if chosen.alert_watch and not chosen.bots:
        return {"watch": "Choose first which bots' alerts are meant, under “Bots that may ask”."}
    return {}


def service_fields(name: str, now: ServiceSettings) -> list[Block]:
    """Return the form of a service, filled in with what is set."""
    owner: Block = {
        "type": "conversations_select",
        "action_id": "owner",
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    oncall: Block = {"type": "plain_text_input", "action_id": ONCALL, "max_length": 80}
    if now.owner_channel:
        owner["initial_conversation"] = now.owner_channel
    if now.oncall:
        oncall["initial_value"] = now.oncall
    return [
        section(f"*{one_line(name, 100)}*, in the whole workspace."),
        field(
            "owner",
            "Owner's channel",
            owner,
            "It hears of questions without an answer. Invite me there.",
        ),
        field(
            ONCALL,
            "On call",
            oncall,
            "The id of a user group (S…) or of a person (U…), as Slack lets you copy it.",
        ),
    ]


def service_entered(view: Mapping[str, Any]) -> ServiceSettings:
    """Return what was entered for a service."""
    owner, oncall = entered(view, "owner"), "".join(entered(view, ONCALL)).strip()
    match = _TARGET.fullmatch(oncall)
    return ServiceSettings(owner[0] if owner else None, match["id"] if match else None)


def service_problems(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what can't be as it was entered, by field."""
    oncall = "".join(entered(view, ONCALL)).strip()
    if oncall and not _TARGET.fullmatch(oncall):
        return {ONCALL: "That is no id: a user group's begins with S, a person's with U."}
    return {}


def _choice(action: str, labels: Mapping[Any, str], initial: str) -> Block:
    return choice(action, [option(value, label) for value, label in labels.items()], initial)


def _first(view: Mapping[str, Any], block: str, default: str) -> str:
    return next(iter(entered(view, block)), default)
