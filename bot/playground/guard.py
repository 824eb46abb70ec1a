"""Who may talk to the server: local addresses by their local name, pages of its own origin."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def local_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse foreign Host names (DNS rebinding) and foreign Origins (other sites' pages)."""
    host = request.headers.get("Host", "")
    if urlsplit(f"//{host}").hostname not in LOCAL_NAMES:
        raise web.HTTPForbidden(text="Only local addresses are served.")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"http://{host}":
        raise web.HTTPForbidden(text="Requests of other sites are refused.")
    return await handler(request)


async def harden(_request: web.Request, response: web.StreamResponse) -> None:
    """Put the content policy and its companions on every answer."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
