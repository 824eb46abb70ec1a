"""Modals and App Home tabs the app has opened."""

import secrets
from dataclasses import dataclass, field, replace

from bot.playground.changes import Changes
from bot.playground.clock import Clock
from bot.playground.elements import with_ids
from bot.playground.entries import Entries
from bot.playground.errors import ApiError
from bot.playground.triggers import TRIGGER_SECONDS
from bot.playground.wire import Json

DEEPEST_STACK = 3


@dataclass(frozen=True, slots=True)
class View:
    """One view and the person who sees it; `content` is what the app sent, every block with an id.

    `opened` is in seconds since 1970; `errors` are the sentences shown below blocks, by block_id.
    """

    id: str
    user: str
    content: Json
    hash: str
    root_id: str
    opened: float
    previous_id: str | None = None
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def blocks(self) -> list[Json]:
        """Its blocks."""
        return self.content["blocks"]

    @property
    def title(self) -> str:
        """Its title; a Home tab has none."""
        return str((self.content.get("title") or {}).get("text", ""))


class Views:
    """The stack of modals of each person, and each person's Home tab."""

    def __init__(self, changes: Changes, clock: Clock) -> None:
        self.entries: Entries = Entries()
        self.homes: dict[str, View] = {}
        self._changes: Changes = changes
        self._clock: Clock = clock
        self._stacks: dict[str, list[View]] = {}

    def stack(self, user: str) -> list[View]:
        """The person's open modals, the visible one last."""
        return list(self._stacks.get(user, []))

    def top(self, user: str) -> View | None:
        """The modal a person sees."""
        return (self.stack(user) or [None])[-1]

    def get(self, user: str, view_id: str) -> View | None:
        """A modal or Home tab of this person."""
        found = (each for each in self._all() if (each.id, each.user) == (view_id, user))
        return next(found, None)

    def is_old(self, view: View) -> bool:
        """Whether it was opened longer ago than the trigger lived that allowed it."""
        return self._clock.now() - view.opened > TRIGGER_SECONDS

    def visible(self) -> list[View]:
        """The modal on top of each person's stack."""
        return [stack[-1] for stack in self._stacks.values() if stack]

    def push(self, user: str, content: Json) -> View:
        """Open a modal on top.

        Raises:
            ApiError: `push_limit_reached` beyond three, `duplicate_external_id`.
        """
        stack = self._stacks.setdefault(user, [])
        if len(stack) >= DEEPEST_STACK:
            raise ApiError("push_limit_reached")
        external = content.get("external_id")
        if external and any(each.content.get("external_id") == external for each in self._all()):
            raise ApiError("duplicate_external_id")
        view_id = _new_id()
        root, previous = (stack[0].id, stack[-1].id) if stack else (view_id, None)
        view = View(view_id, user, _kept(content), _new_hash(), root, self._clock.now(), previous)
        stack.append(view)
        self._changes.touch()
        return view

    def update(self, view_id: str, content: Json, expected_hash: str = "") -> View:
        """Replace an open view, named by its id or its external_id.

        Raises:
            ApiError: `not_found`, or `hash_conflict` when it changed since `expected_hash`.
        """
        for view in self._all():
            if view_id in {view.id, view.content.get("external_id") or view.id}:
                if expected_hash and expected_hash != view.hash:
                    raise ApiError("hash_conflict")
                return self._put(replace(view, content=_kept(content), hash=_new_hash(), errors={}))
        raise ApiError("not_found")

    def enter(self, view: View, block_id: str, action_id: str, value: Json) -> None:
        """Keep what a person entered; the app hears of it with the next payload."""
        self.entries.enter(view.id, block_id, action_id, value)
        self._changes.touch()

    def complain(self, view: View, errors: dict[str, str]) -> View:
        """Show sentences below the blocks of a view."""
        return self._put(replace(view, errors=errors))

    def pop(self, user: str) -> View | None:
        """Close the modal on top; the one below shows again."""
        stack = self._stacks.get(user)
        if not stack:
            return None
        view = stack.pop()
        self.entries.forget(view.id)
        self._changes.touch()
        return view

    def close(self, user: str) -> None:
        """Close all modals of a person."""
        while self.pop(user) is not None:
            pass

    def publish(self, user: str, content: Json, expected_hash: str = "") -> View:
        """Set the person's Home tab.

        Raises:
            ApiError: `hash_conflict` when it changed since `expected_hash`.
        """
        before = self.homes.get(user)
        if before is not None:
            return self.update(before.id, content, expected_hash)
        view_id = _new_id()
        now = self._clock.now()
        return self._put(View(view_id, user, _kept(content), _new_hash(), view_id, now))

    def to_wire(self, view: View, team_id: str, app_id: str, bot_id: str) -> Json:
        """The view object of answers and payloads, with what was entered in it."""
        return {
            "private_metadata": "",
            "callback_id": "",
            "external_id": "",
            "submit": None,
            "close": None,
            "clear_on_close": False,
            "notify_on_close": False,
            **view.content,
            "state": self.entries.state(view.id, view.blocks),
            "id": view.id,
            "team_id": team_id,
            "app_id": app_id,
            "app_installed_team_id": team_id,
            "bot_id": bot_id,
            "hash": view.hash,
            "root_view_id": view.root_id,
            "previous_view_id": view.previous_id,
        }

    def _all(self) -> list[View]:
        modals = [view for stack in self._stacks.values() for view in stack]
        return modals + list(self.homes.values())

    def _put(self, view: View) -> View:
        stack = self._stacks.get(view.user, [])
        for index, each in enumerate(stack):
            if each.id == view.id:
                stack[index] = view
                break
        else:
            self.homes[view.user] = view
        self._changes.touch()
        return view


def _kept(content: Json) -> Json:
    return {**content, "blocks": with_ids(content.get("blocks") or [])}


def _new_id() -> str:
    return f"V{secrets.token_hex(5).upper()}"


def _new_hash() -> str:
    return secrets.token_hex(8)
