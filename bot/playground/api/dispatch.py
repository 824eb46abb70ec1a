"""The endpoint /api/METHOD: token, faults, arguments, method, answer."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.playground.api import (
    chat,
    conversations,
    directory,
    files,
    reactions,
    streams,
    surfaces,
)
from bot.playground.api.arguments import Arguments
from bot.playground.errors import ApiError
from bot.playground.faults import ApiFault, DroppedConnection, HttpFault, When
from bot.playground.services import Services
from bot.playground.traffic import Exchange
from bot.playground.wire import Json

type Method = Callable[[Services, Arguments], Awaitable[Json]]

APP_LEVEL = "apps.connections.open"
TOO_MANY_REQUESTS = 429

METHODS: dict[str, Method] = {
    "api.test": surfaces.accept,
    APP_LEVEL: directory.connections_open,
    "auth.test": directory.auth_test,
    "bots.info": directory.bots_info,
    "team.info": directory.team_info,
    "users.info": directory.users_info,
    "usergroups.users.list": directory.usergroups_users_list,
    "users.list": directory.users_list,
    "users.conversations": directory.users_conversations,
    "chat.postMessage": chat.post_message,
    "chat.postEphemeral": chat.post_ephemeral,
    "chat.update": chat.update,
    "chat.delete": chat.delete,
    "chat.getPermalink": chat.get_permalink,
    "chat.startStream": streams.start,
    "chat.appendStream": streams.append,
    "chat.stopStream": streams.stop,
    "files.getUploadURLExternal": files.get_upload_url,
    "files.completeUploadExternal": files.complete_upload,
    "files.info": files.info,
    "conversations.info": conversations.info,
    "conversations.list": conversations.list_channels,
    "conversations.members": conversations.members,
    "conversations.history": conversations.history,
    "conversations.replies": conversations.replies,
    "conversations.open": conversations.open_conversation,
    "conversations.join": conversations.join,
    "reactions.add": reactions.add,
    "reactions.remove": reactions.remove,
    "reactions.get": reactions.get,
    "views.open": surfaces.views_open,
    "views.push": surfaces.views_push,
    "views.update": surfaces.views_update,
    "views.publish": surfaces.views_publish,
    "assistant.threads.setStatus": surfaces.set_status,
    "assistant.threads.setTitle": surfaces.accept,
    "assistant.threads.setSuggestedPrompts": surfaces.accept,
    "agents.sessions.setStatus": surfaces.set_status,
    "agents.sessions.rename": surfaces.accept,
}


class WebApi:
    """Answers Web API calls. `calls` keeps the names of the methods called, in order."""

    def __init__(self, services: Services) -> None:
        self._services: Services = services
        self.calls: list[str] = []

    async def handle(self, request: web.Request) -> web.Response:
        """One call. Errors are answered with HTTP 200 and `ok: false`, as Slack does."""
        name = request.match_info["method"]
        self.calls.append(name)
        faults = self._services.faults
        with self._services.postings.courier.traffic.exchange("call", name) as exchange:
            try:
                await faults.strike(name, When.BEFORE)
                answer = await self._call(name, request, exchange)
                await self._services.postings.log.changes.keep()
                await faults.strike(name, When.AFTER)
            except ApiError as problem:
                exchange.outcome = problem.code
                return web.json_response({"ok": False, "error": problem.code, **problem.details})
            except ApiFault as fault:
                exchange.outcome = fault.error
                return web.json_response({"ok": False, "error": fault.error})
            except HttpFault as fault:
                exchange.outcome = str(fault.status)
                return _http_answer(fault)
            except DroppedConnection:
                exchange.outcome = "dropped"
                if request.transport is not None:
                    request.transport.abort()
                return web.Response()
            return web.json_response({"ok": True, **answer})

    async def _call(self, name: str, request: web.Request, exchange: Exchange) -> Json:
        method = METHODS.get(name)
        if method is None:
            raise ApiError("unknown_method", {"req_method": name})
        args = await Arguments.read(request)
        exchange.sent = args.values
        scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
        token = bearer.strip() if scheme.lower() == "bearer" else args.text("token")
        self._services.credentials.check(token, app_level=name == APP_LEVEL)
        answer = await method(self._services, args)
        exchange.answered = None if name == APP_LEVEL else answer  # its answer is a ticket
        return answer


def _http_answer(fault: HttpFault) -> web.Response:
    if fault.status == TOO_MANY_REQUESTS:
        headers = {"Retry-After": str(fault.retry_after or 1)}
        body: Json = {"ok": False, "error": "ratelimited"}
        return web.json_response(body, status=fault.status, headers=headers)
    return web.Response(status=fault.status, text="fault on request")
