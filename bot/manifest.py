"""The app's manifest, as the demo's stand-in for Slack needs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

__all__ = ["Manifest", "load_manifest"]

_NAME = "manifest.yml"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the app offers and hears. `commands` have what to type behind each."""

    commands: Mapping[str, str]
    shortcuts: tuple[dict[str, Any], ...]
    events: frozenset[str]
    home: bool


def load_manifest() -> Manifest:
    """Read the manifest: at the top of a checkout, inside the package once it is installed."""
    package = Path(str(resources.files("bot")))
    path = next(each for each in (package.parent / _NAME, package / _NAME) if each.exists())
    content: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    features: dict[str, Any] = content["features"]
    settings: dict[str, Any] = content["settings"]
    return Manifest(
        commands={
            str(each["command"]): str(each.get("usage_hint", ""))
            for each in features.get("slash_commands", [])
        },
        shortcuts=tuple(features.get("shortcuts", [])),
        events=frozenset(settings["event_subscriptions"]["bot_events"]),
        home=bool(features.get("app_home", {}).get("home_tab_enabled")),
    )
