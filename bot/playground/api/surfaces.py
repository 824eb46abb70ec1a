"""views.* and assistant.*: modals, the Home tab, the status of a thread."""

from bot.playground.api.arguments import Arguments
from bot.playground.api.lookup import joined_channel, known_user
from bot.playground.errors import ApiError
from bot.playground.limits import check_view
from bot.playground.services import Services
from bot.playground.views import View
from bot.playground.wire import Json


async def views_open(services: Services, args: Arguments) -> Json:
    """views.open: spends the trigger id, and closes what was open."""
    content = _content(args, "modal")
    user = services.triggers.redeem(args.required("trigger_id"))
    services.views.close(user)
    return _wire(services, services.views.push(user, content))


async def views_push(services: Services, args: Arguments) -> Json:
    """views.push: spends the trigger id."""
    content = _content(args, "modal")
    user = services.triggers.redeem(args.required("trigger_id"))
    return _wire(services, services.views.push(user, content))


async def views_update(services: Services, args: Arguments) -> Json:
    """views.update by view_id or external_id."""
    view_id = args.text("view_id") or args.required("external_id")
    content = _content(args, "modal")
    return _wire(services, services.views.update(view_id, content, args.text("hash")))


async def views_publish(services: Services, args: Arguments) -> Json:
    """views.publish: the Home tab of one person."""
    user = known_user(services, args, "user_id")
    content = _content(args, "home")
    return _wire(services, services.views.publish(user.id, content, args.text("hash")))


async def set_status(services: Services, args: Arguments) -> Json:
    """assistant.threads.setStatus (and agents.sessions.setStatus): empty text clears it."""
    channel = joined_channel(
        services,
        Arguments({"channel": args.text("channel_id") or args.text("channel")}),
    )
    thread_ts = args.required("thread_ts")
    root = services.postings.log.get(channel.id, thread_ts)
    if root is None or root.ephemeral_to is not None:
        raise ApiError("thread_not_found")
    services.postings.statuses.set(channel.id, thread_ts, args.text("status"))
    return {}


async def accept(_services: Services, _args: Arguments) -> Json:
    """Methods whose effect nobody sees here: titles and suggested prompts."""
    return {}


def _content(args: Arguments, kind: str) -> Json:
    """The view of the arguments, checked."""
    view = args.member("view")
    if view is None:
        raise ApiError("invalid_arguments")
    check_view(view, kind)
    return view


def _wire(services: Services, view: View) -> Json:
    workspace = services.postings.workspace
    bot = workspace.bot
    wire = services.views.to_wire(view, workspace.team.id, bot.app_id or "", bot.bot_id or "")
    return {"view": wire}
