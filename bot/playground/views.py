"""Modals and App Home tabs the app has opened."""

import secrets
from dataclasses import dataclass

from bot.playground.changes import Changes
from bot.playground.errors import ApiError
from bot.playground.wire import Json

DEEPEST_STACK = 3


@dataclass(frozen=True, slots=True)
class View:
    """One view and the person who sees it; `content` is what the app sent."""

    id: str
    user: str
    content: Json
    hash: str
    root_id: str

    def to_wire(self, team_id: str, app_id: str, bot_id: str) -> Json:
        """The view object of answers and payloads."""
        return {
            "blocks": [],
            "private_metadata": "",
            "callback_id": "",
            "external_id": "",
            "state": {"values": {}},
            **self.content,
            "id": self.id,
            "team_id": team_id,
            "app_id": app_id,
            "bot_id": bot_id,
            "hash": self.hash,
            "root_view_id": self.root_id,
            "previous_view_id": None,
            "clear_on_close": False,
            "notify_on_close": bool(self.content.get("notify_on_close", False)),
        }


class Views:
    """The stack of modals of each person, and each person's Home tab."""

    def __init__(self, changes: Changes) -> None:
        self._changes: Changes = changes
        self._stacks: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}

    def stack(self, user: str) -> list[View]:
        """The person's open modals, the visible one last."""
        return list(self._stacks.get(user, []))

    def push(self, user: str, content: Json) -> View:
        """Open a modal on top.

        Raises:
            ApiError: `push_limit_reached` beyond three.
        """
        stack = self._stacks.setdefault(user, [])
        if len(stack) >= DEEPEST_STACK:
            raise ApiError("push_limit_reached")
        view_id = _new_id()
        view = View(view_id, user, content, _new_hash(), stack[0].id if stack else view_id)
        stack.append(view)
        self._changes.touch()
        return view

    def update(self, view_id: str, content: Json, expected_hash: str) -> View:
        """Replace an open modal.

        Raises:
            ApiError: `not_found`, or `hash_conflict` when it changed since `expected_hash`.
        """
        for stack in self._stacks.values():
            for index, view in enumerate(stack):
                if view_id in {view.id, view.content.get("external_id") or view.id}:
                    if expected_hash and expected_hash != view.hash:
                        raise ApiError("hash_conflict")
                    stack[index] = View(view.id, view.user, content, _new_hash(), view.root_id)
                    self._changes.touch()
                    return stack[index]
        raise ApiError("not_found")

    def visible(self) -> list[View]:
        """The modal on top of each person's stack."""
        return [stack[-1] for stack in self._stacks.values() if stack]

    def close(self, user: str) -> None:
        """Close all modals of a person."""
        if self._stacks.pop(user, None):
            self._changes.touch()

    def publish(self, user: str, content: Json) -> View:
        """Set the person's Home tab."""
        before = self.homes.get(user)
        view_id = _new_id() if before is None else before.id
        self.homes[user] = View(view_id, user, content, _new_hash(), view_id)
        self._changes.touch()
        return self.homes[user]


def _new_id() -> str:
    return f"V{secrets.token_hex(5).upper()}"


def _new_hash() -> str:
    return secrets.token_hex(8)
