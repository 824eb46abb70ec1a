"""Modals: filling in, submitting and closing them, and what the app answers."""

from collections.abc import Mapping

from bot.playground.elements import Given, elements
from bot.playground.errors import ApiError, PlaygroundError
from bot.playground.forms import problems
from bot.playground.limits import check_view
from bot.playground.people.clicks import Clicks
from bot.playground.people.interactions import Interactions
from bot.playground.people.places import Places
from bot.playground.people.receipts import Receipt
from bot.playground.users import User
from bot.playground.views import View
from bot.playground.wire import Json

TROUBLE = "We had some trouble connecting. Try again?"


class Modals:
    """The modal on top of a person's stack."""

    def __init__(self, interactions: Interactions, places: Places, clicks: Clicks) -> None:
        self._interactions: Interactions = interactions
        self._views = interactions.services.views
        self._places: Places = places
        self._clicks: Clicks = clicks

    def top(self, who: str) -> View:
        """The modal a person sees.

        Raises:
            PlaygroundError: there is none.
        """
        view = self.shown(who)
        if view is None:
            raise PlaygroundError(f"{self._places.user(who).real_name} has no modal open.")
        return view

    def shown(self, who: str) -> View | None:
        """The modal a person sees, if they see one."""
        return self._views.top(self._places.user(who).id)

    async def submit(self, who: str, values: Mapping[str, Given]) -> Receipt:
        """Fill in fields (by action_id) and submit. What Slack itself refuses isn't sent."""
        user = self._places.user(who)
        view = self.top(who)
        if view.content.get("submit") is None and any(
            block.get("type") == "input" for block in view.blocks
        ):
            raise PlaygroundError(f"“{view.title}” has no button to submit it.")
        for action_id, given in values.items():
            await self._clicks.in_view(view, action_id, given)
        state = self._views.entries.state(view.id, view.blocks)
        wrong = problems(view.blocks, state["values"])
        if wrong:
            self._views.complain(view, wrong)
            return Receipt("invalid_input", problems=wrong)
        for each in elements(view.blocks):
            entry = state["values"].get(each.block_id, {}).get(each.action_id, {})
            for file in entry.get("files") or []:
                self._interactions.services.files.give(file["id"])
        payload = self._interactions.payload("view_submission", user)
        payload |= {
            "view": self._interactions.view(view),
            "response_urls": self._response_urls(user, view, state["values"]),
        }
        receipt = await self._interactions.ask(payload)
        return self._trouble(view, receipt.error) if receipt.error else self._obey(view, receipt)

    async def close(self, who: str, *, everything: bool = False) -> None:
        """Close the modal on top by its button, or with the cross `everything`.

        The app hears of it when the view asked for that; what it answers doesn't matter.
        """
        user = self._places.user(who)
        view = self.top(who)
        cleared = everything or bool(view.content.get("clear_on_close"))
        closing = self._views.stack(user.id)[::-1] if cleared else [view]
        wires = [
            self._interactions.view(each) for each in closing if each.content.get("notify_on_close")
        ]
        for _ in closing:
            self._views.pop(user.id)
        for wire in wires:
            payload = self._interactions.payload("view_closed", user, may_open=False)
            await self._interactions.ask(payload | {"view": wire, "is_cleared": cleared})

    def _obey(self, view: View, receipt: Receipt) -> Receipt:
        """Do what the acknowledgement says: nothing in it closes the modal."""
        answer = receipt.answer or {}
        try:
            match answer.get("response_action"):
                case "errors":
                    return self._errors(view, answer)
                case "update":
                    self._views.update(view.id, _content(answer))
                case "push":
                    self._views.push(view.user, _content(answer))
                case "clear":
                    self._views.close(view.user)
                case None:
                    self._views.pop(view.user)
                case _:
                    return self._trouble(view, "invalid_response_action")
        except ApiError as problem:
            return self._trouble(view, problem.code)
        return receipt

    def _errors(self, view: View, answer: Json) -> Receipt:
        """Show the app's sentences; one for a block that isn't a field is the app's mistake."""
        errors = answer.get("errors")
        fields = {each["block_id"] for each in view.blocks if each.get("type") == "input"}
        if not isinstance(errors, dict) or not errors or not fields >= errors.keys():
            return self._trouble(view, "invalid_errors")
        said = {str(key): str(value) for key, value in errors.items()}
        self._views.complain(view, said)
        return Receipt(answer=answer, problems=said)

    def _trouble(self, view: View, error: str) -> Receipt:
        """Leave the modal open with Slack's sentence at its foot."""
        self._views.complain(view, {"": TROUBLE})
        return Receipt(error, problems={"": TROUBLE})

    def _response_urls(self, user: User, view: View, values: Json) -> list[Json]:
        """A response URL for each conversation chosen where the app asked for one."""
        found: list[Json] = []
        for each in elements(view.blocks):
            entry = values.get(each.block_id, {}).get(each.action_id, {})
            chosen = entry.get("selected_conversation") or entry.get("selected_channel")
            if each.content.get("response_url_enabled") and chosen:
                url = self._interactions.response_urls.new(user.id, chosen)
                found.append(
                    {
                        "block_id": each.block_id,
                        "action_id": each.action_id,
                        "channel_id": chosen,
                        "response_url": url,
                    }
                )
        return found


def _content(answer: Json) -> Json:
    """The view that came with the acknowledgement, checked."""
    view = answer.get("view")
    if not isinstance(view, dict):
        raise ApiError("invalid_arguments")
    check_view(view, "modal")
    return view
