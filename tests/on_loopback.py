"""Scripted servers on a free port of the loopback."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

__all__ = ["served"]

_LARGEST = 2**26  # bytes of a request


@asynccontextmanager
async def served(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]], *paths: str
) -> AsyncGenerator[str]:
    """Answer POST requests at these paths; yields the server's address.

    A handler is cancelled when its client goes away.
    """
    app = web.Application(client_max_size=_LARGEST)
    for path in paths:
        app.router.add_post(path, answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
