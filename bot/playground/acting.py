"""What the page asks for on behalf of a person: one action for each kind of request body."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from bot.playground.backstage import Tour
from bot.playground.elements import Given, find
from bot.playground.errors import PlaygroundError
from bot.playground.people import People, Receipt
from bot.playground.snapshot import Offers
from bot.playground.views import View, Views
from bot.playground.wire import Json

type Action = Callable[[Json], Awaitable[Json]]


class Acting:
    """The actions by name. Each takes a JSON object with at least `user`, and answers with one."""

    def __init__(self, people: People, views: Views, offers: Offers) -> None:
        self._offers: Offers = offers
        self._people: People = people
        self._views: Views = views
        self.actions: dict[str, Action] = {
            "post": self._post,
            "edit": self._edit,
            "delete": self._delete,
            "react": self._react,
            "command": self._command,
            "click": self._click,
            "options": self._options,
            "shortcut": self._shortcut,
            "submit": self._submit,
            "close": self._close,
            "home": self._home,
            "share": self._share,
            "alert": self._alert,
            "document": self._document,
            "switch": self._switch,
        }

    async def _post(self, body: Json) -> Json:
        user, channel, text = _texts(body, "user", "channel", "text")
        message = self._people.writing.post(user, channel, text, _optional(body, "thread_ts"))
        return {"ok": True, "ts": message.ts, "channel": message.channel}

    async def _edit(self, body: Json) -> Json:
        user, channel, ts, text = _texts(body, "user", "channel", "ts", "text")
        self._people.writing.edit(channel, ts, text, user)
        return {"ok": True}

    async def _delete(self, body: Json) -> Json:
        user, channel, ts = _texts(body, "user", "channel", "ts")
        self._people.writing.delete(channel, ts, user)
        return {"ok": True}

    async def _react(self, body: Json) -> Json:
        """Put an emoji below a message, or take it back when it is there."""
        where = _texts(body, "user", "channel", "ts", "name")
        try:
            self._people.writing.unreact(*where)
        except PlaygroundError:
            self._people.writing.react(*where)
        return {"ok": True}

    async def _command(self, body: Json) -> Json:
        user, channel, command = _texts(body, "user", "channel", "command")
        text = str(body.get("text") or "")
        thread = _optional(body, "thread_ts")
        return _receipt(await self._people.commands.run(user, channel, command, text, thread))

    async def _click(self, body: Json) -> Json:
        """Click or choose in a message, or in a view together with its fields as they are."""
        user, action_id = _texts(body, "user", "action_id")
        given = _given(body.get("value"))
        if body.get("view") is None:
            _, channel, ts = _texts(body, "user", "channel", "ts")
            return _receipt(
                await self._people.clicks.in_message(user, channel, ts, action_id, given)
            )
        view = self._view(body)
        await self._keep(view, body)
        return _receipt(await self._people.clicks.in_view(view, action_id, given))

    async def _options(self, body: Json) -> Json:
        """What an external select offers for what was typed."""
        user, action_id = _texts(body, "user", "action_id")
        query = str(body.get("query") or "")
        if body.get("view") is None:
            _, channel, ts = _texts(body, "user", "channel", "ts")
            clicks = self._people.clicks
            found = await clicks.options_in_message(user, channel, ts, action_id, query)
        else:
            found = await self._people.clicks.options_in_view(self._view(body), action_id, query)
        shown = [{"text": each["text"]["text"], "value": each["value"]} for each in found]
        return {"ok": True, "options": shown}

    async def _shortcut(self, body: Json) -> Json:
        user, callback_id = _texts(body, "user", "callback_id")
        if body.get("ts") is None:
            return _receipt(await self._people.shortcuts.anywhere(user, callback_id))
        _, channel, ts = _texts(body, "user", "channel", "ts")
        return _receipt(await self._people.shortcuts.on_message(user, channel, ts, callback_id))

    async def _submit(self, body: Json) -> Json:
        (user,) = _texts(body, "user")
        return _receipt(await self._people.modals.submit(user, _values(body)))

    async def _close(self, body: Json) -> Json:
        (user,) = _texts(body, "user")
        await self._people.modals.close(user, everything=bool(body.get("everything")))
        return {"ok": True}

    async def _home(self, body: Json) -> Json:
        (user,) = _texts(body, "user")
        self._people.sight.open_home(user)
        return {"ok": True}

    async def _share(self, body: Json) -> Json:
        """Post a file that was uploaded before."""
        user, channel, file_id = _texts(body, "user", "channel", "file")
        file = self._people.writing.uploaded(user, file_id)
        text = str(body.get("text") or "")
        thread, clip = _optional(body, "thread_ts"), bool(body.get("clip"))
        message = self._people.writing.share(channel, file, text, thread, clip=clip)
        return {"ok": True, "ts": message.ts, "channel": message.channel}

    async def _alert(self, body: Json) -> Json:
        """Let another app post the tour's alert."""
        (channel,) = _texts(body, "channel")
        alert = self._tour().alert
        if alert is None:
            raise PlaygroundError("There is no alert to post.")
        message = self._people.writing.integration(where=channel, **alert)
        return {"ok": True, "ts": message.ts, "channel": message.channel}

    async def _document(self, body: Json) -> Json:
        """Post the tour's document, as if it had been chosen from disk."""
        user, channel = _texts(body, "user", "channel")
        tour = self._tour()
        if tour.document is None:
            raise PlaygroundError("There is no document to post.")
        file = self._people.writing.upload(user, *tour.document)
        message = self._people.writing.share(channel, file, tour.share)
        return {"ok": True, "ts": message.ts, "channel": message.channel}

    async def _switch(self, body: Json) -> Json:
        """Make something go wrong from now on, or go right again."""
        (name,) = _texts(body, "name")
        found = next((each for each in self._offers.switches if each.name == name), None)
        if found is None:
            raise PlaygroundError(f"There is no switch {name!r}.")
        await found.turn(bool(body.get("on")))
        return {"ok": True, "on": found.is_on()}

    def _tour(self) -> Tour:
        if self._offers.stage.tour is None:
            raise PlaygroundError("There is no tour here.")
        return self._offers.stage.tour

    async def _keep(self, view: View, body: Json) -> None:
        """Enter the fields of a form that the app hears of only with the form, or with a click."""
        for action_id, given in _values(body).items():
            if not find(view.blocks, action_id).dispatches:
                await self._people.clicks.in_view(view, action_id, given)

    def _view(self, body: Json) -> View:
        user, view_id = _texts(body, "user", "view")
        view = self._views.get(self._people.places.user(user).id, view_id)
        if view is None:
            raise PlaygroundError("This view is not open any more.")
        return view


def _texts(body: Json, *names: str) -> list[str]:
    for name in names:
        if not isinstance(body.get(name), str) or not body[name]:
            raise PlaygroundError(f"{name} is missing.")
    return [str(body[name]) for name in names]


def _optional(body: Json, name: str) -> str | None:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise PlaygroundError(f"{name} is a text.")
    return value or None


def _given(value: Any) -> Given | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [str(each) for each in cast("list[Any]", value)]
    raise PlaygroundError("value is a text or a list of texts.")


def _values(body: Json) -> dict[str, Given]:
    """The fields of a form: a text or a list of texts by action_id."""
    values = body.get("values") or {}
    if not isinstance(values, dict):
        raise PlaygroundError("values is an object.")
    found = {str(name): _given(value) for name, value in cast("Json", values).items()}
    return {name: given for name, given in found.items() if given is not None}


def _receipt(receipt: Receipt) -> Json:
    return {
        "ok": receipt.acknowledged,
        "error": receipt.error or None,
        "problems": receipt.problems,
    }
