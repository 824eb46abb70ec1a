"""auth.*, users.*, bots.*, team.*: who is there."""

from bot.playground.api.arguments import Arguments
from bot.playground.api.conversations import paged, visible_channels
from bot.playground.api.lookup import known_user
from bot.playground.errors import ApiError
from bot.playground.services import Services
from bot.playground.wire import Json


async def auth_test(services: Services, _args: Arguments) -> Json:
    """auth.test."""
    workspace = services.postings.workspace
    return {
        "url": f"{services.links.base_url}/",
        "team": workspace.team.name,
        "team_id": workspace.team.id,
        "user": workspace.bot.name,
        "user_id": workspace.bot.id,
        "bot_id": workspace.bot.bot_id,
        "is_enterprise_install": False,
    }


async def users_info(services: Services, args: Arguments) -> Json:
    """users.info."""
    return {"user": known_user(services, args).to_wire()}


async def usergroups_users_list(services: Services, args: Arguments) -> Json:
    """usergroups.users.list: the ids of a user group's members."""
    members = services.postings.workspace.groups.get(args.required("usergroup"))
    if members is None:
        raise ApiError("no_such_subteam")
    return {"users": members}


async def users_list(services: Services, args: Arguments) -> Json:
    """users.list."""
    page, cursor = paged(list(services.postings.workspace.users.values()), args)
    return {"members": [user.to_wire() for user in page], **cursor}


async def users_conversations(services: Services, args: Arguments) -> Json:
    """users.conversations: those of a user, or of the bot."""
    workspace = services.postings.workspace
    member = args.text("user", workspace.bot.id)
    page, cursor = paged(visible_channels(services, args, member=member), args)
    channels = [each.to_wire(workspace.bot.id, workspace.team.id) for each in page]
    return {"channels": channels, **cursor}


async def bots_info(services: Services, args: Arguments) -> Json:
    """bots.info: the app's own bot, or that of another app."""
    workspace = services.postings.workspace
    wanted = args.text("bot", workspace.bot.bot_id or "")
    bot = next((each for each in workspace.users.values() if each.bot_id == wanted), None)
    if bot is None:
        raise ApiError("bot_not_found")
    return {
        "bot": {
            "id": bot.bot_id,
            "app_id": bot.app_id,
            "user_id": bot.id,
            "name": bot.real_name,
            "deleted": False,
            "updated": 0,
        }
    }


async def team_info(services: Services, _args: Arguments) -> Json:
    """team.info."""
    return {"team": services.postings.workspace.team.to_wire()}


async def connections_open(services: Services, _args: Arguments) -> Json:
    """apps.connections.open: the address of a new Socket Mode connection."""
    return {"url": services.socket.new_url(services.links.base_url)}
