"""manifest.yml stays within Slack's limits, and asks for exactly the scopes that the bot uses."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from slack_sdk.web.async_client import AsyncWebClient

from bot.listeners.save_thread import SAVE
from bot.listeners.shortcut import ASK

REPOSITORY = Path(__file__).parents[1]
MANIFEST = REPOSITORY / "manifest.yml"
SCHEMA = REPOSITORY.parent / "shared" / "data" / "manifest.schema.1.0.0.json"

# From the reference page of each event, https://docs.slack.dev/reference/events.
EVENT_SCOPES = {
    "app_home_opened": None,  # none is needed
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
}
HISTORY = frozenset({"channels:history", "groups:history", "im:history", "mpim:history"})

# From the reference page of each method, https://docs.slack.dev/reference/methods; all scopes
# that it takes to call it in every kind of conversation. Methods without a bot scope: an empty set.
METHOD_SCOPES = {
    "apps_connections_open": frozenset[str](),  # connections:write, of the app-level token
    "assistant_threads_setStatus": frozenset({"chat:write"}),
    "auth_test": frozenset[str](),
    "bots_info": frozenset({"users:read"}),
    "chat_delete": frozenset({"chat:write"}),
    "chat_getPermalink": frozenset[str](),
    "chat_postEphemeral": frozenset({"chat:write"}),
    "chat_postMessage": frozenset({"chat:write"}),
    "chat_update": frozenset({"chat:write"}),
    "conversations_history": HISTORY,
    # Asked only of channels: direct messages are private by their id.
    "conversations_info": frozenset({"channels:read", "groups:read"}),
    "conversations_replies": HISTORY,
    "files_info": frozenset({"files:read"}),
    "files_upload_v2": frozenset({"files:write"}),
    "reactions_add": frozenset({"reactions:write"}),
    "usergroups_users_list": frozenset({"usergroups:read"}),
    "users_conversations": frozenset({"channels:read", "groups:read"}),  # of channels, not of DMs
    "users_info": frozenset({"users:read"}),
    "views_open": frozenset[str](),
    "views_publish": frozenset[str](),
    "views_update": frozenset[str](),
}


def manifest() -> dict[str, Any]:
    """Return the manifest as data."""
    return yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))


def scopes() -> list[str]:
    """Return the bot scopes that the manifest asks for."""
    return manifest()["oauth_config"]["scopes"]["bot"]


def events() -> list[str]:
    """Return the events that the manifest subscribes to."""
    return manifest()["settings"]["event_subscriptions"]["bot_events"]


@cache
def bot_code() -> tuple[ast.AST, ...]:
    """Return every node of the bot's code; the playground is a Slack, not a user of one."""
    return tuple(
        node
        for path in sorted((REPOSITORY / "bot").rglob("*.py"))
        if "playground" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def methods_used() -> set[str]:
    """Return the Web API methods that the bot names, as the SDK spells them."""
    api = {name for name in vars(AsyncWebClient) if "_" in name.strip("_")}
    return {node.attr for node in bot_code() if isinstance(node, ast.Attribute)} & api


def commands_heard() -> set[str]:
    """Return the slash commands that the bot's listeners are registered for."""
    return {
        str(node.args[0].value)
        for node in bot_code()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "command"
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).startswith("/")
    }


def test_texts_are_within_slacks_limits() -> None:
    """Slack refuses a manifest with a name, description or hint that is too long or too short."""
    shown = manifest()["display_information"]
    assert 1 <= len(shown["name"]) <= 35
    assert 1 <= len(shown["description"]) <= 140
    assert 175 <= len(shown["long_description"]) <= 4000
    assert 1 <= len(manifest()["features"]["bot_user"]["display_name"]) <= 80


def test_commands_are_within_slacks_limits() -> None:
    """At most 50 commands, each with a slash, a description and a hint of a size Slack takes."""
    commands = manifest()["features"]["slash_commands"]
    assert 1 <= len(commands) <= 50
    for command in commands:
        assert 2 <= len(command["command"]) <= 32
        assert command["command"].startswith("/")
        assert 1 <= len(command["description"]) <= 2000
        assert 1 <= len(command["usage_hint"]) <= 1000


def test_the_manifest_and_the_bot_know_the_same_commands() -> None:
    """A command that only one of the two knows is a dead end for whoever types it."""
    offered = {command["command"] for command in manifest()["features"]["slash_commands"]}
    assert offered == commands_heard()


def test_the_manifest_and_the_bot_know_the_same_shortcuts() -> None:
    """A shortcut that only one of the two knows is a dead end, too."""
    known = {each["callback_id"] for each in manifest()["features"]["shortcuts"]}
    assert known == {ASK, SAVE}
    for each in manifest()["features"]["shortcuts"]:
        assert 1 <= len(each["name"]) <= 24
        assert 1 <= len(each["description"]) <= 150


def test_every_event_has_its_scope() -> None:
    """Slack sends an event only to an app that has the scope for it."""
    assert set(events()) == set(EVENT_SCOPES)
    assert {EVENT_SCOPES[event] for event in events()} - {None} <= set(scopes())


def test_every_method_has_its_scopes() -> None:
    """What the bot calls is granted, and a method of unknown scope is put into the table first."""
    used = methods_used()
    assert "chat_postMessage" in used
    assert used <= set(METHOD_SCOPES), "say in METHOD_SCOPES which scopes these need"
    for method in used:
        assert METHOD_SCOPES[method] <= set(scopes()), method


def test_no_scope_is_asked_for_in_vain() -> None:
    """Each scope serves an event, a command or a method; whoever installs the app reads them."""
    needed = {scope for event in events() if (scope := EVENT_SCOPES[event])}
    needed |= {scope for method in methods_used() for scope in METHOD_SCOPES[method]}
    if manifest()["features"]["slash_commands"]:
        needed.add("commands")
    assert sorted(scopes()) == sorted(needed)


def test_it_runs_over_socket_mode_alone() -> None:
    """No address of ours is asked for, nothing rotates, and direct messages can be written."""
    settings = manifest()["settings"]
    assert settings["socket_mode_enabled"] is True
    assert settings["token_rotation_enabled"] is False
    assert settings["org_deploy_enabled"] is False
    assert settings["interactivity"]["is_enabled"] is True
    assert "request_url" not in MANIFEST.read_text(encoding="utf-8")
    home = manifest()["features"]["app_home"]
    assert home["home_tab_enabled"] is ("app_home_opened" in events())
    assert home["messages_tab_enabled"] is True
    assert home["messages_tab_read_only_enabled"] is False
    assert manifest()["features"]["bot_user"]["always_online"] is True


def test_it_fits_slacks_schema() -> None:
    """Slack's published schema for manifests accepts the file."""
    if not SCHEMA.exists():
        pytest.skip(f"Slack's manifest schema is not at hand ({SCHEMA.name} in ../shared/data)")
    command = [sys.executable, "-m", "check_jsonschema", "--schemafile", SCHEMA, MANIFEST]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_procfile_starts_what_the_platform_expects() -> None:
    """Each process type runs the command line of this project, under the agreed names."""
    lines = (REPOSITORY / "Procfile").read_text(encoding="utf-8").splitlines()
    assert [line.split(": ", 1) for line in lines] == [
        ["release", "python -m bot migrate"],
        ["web", "python -m bot web"],
        ["worker", "python -m bot worker"],
    ]
