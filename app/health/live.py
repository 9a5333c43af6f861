"""GET /health/live as the connection itself answers it: before middleware, routes and the turns of requests."""

from __future__ import annotations

from starlette.types import Receive, Scope, Send

LIVE = b'{"status":"live"}'
_HEADERS = [
    (b"content-type", b"application/json"),
    (b"content-length", str(len(LIVE)).encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]


def asks_for_it(scope: Scope) -> bool:
    return bool(scope["path"] == "/health/live" and scope["method"] == "GET")


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """An ASGI application."""
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": LIVE})
