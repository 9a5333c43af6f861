"""A path with a slash too many or too few at its end leads to the one that is meant.

The way is told from where the request was, as a browser resolves ``../verify``: neither the host nor the scheme that a
request names is repeated, which a stranger or a proxy may have set, and a key in front of the path stays there.
"""

from __future__ import annotations

from urllib.parse import quote

from fastapi import FastAPI
from starlette.responses import RedirectResponse
from starlette.routing import Match
from starlette.types import Receive, Scope, Send


def install(app: FastAPI) -> None:
    """In place of what Starlette does, which answers with the request's host."""
    router, missing = app.router, app.router.default
    router.redirect_slashes = False

    async def lead(scope: Scope, receive: Receive, send: Send) -> None:
        meant = _meant(scope["path"]) if scope["type"] == "http" else None
        if meant is None or all(route.matches({**scope, "path": meant[0]})[0] is Match.NONE for route in router.routes):
            await missing(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        await RedirectResponse(meant[1] + (f"?{query}" if query else ""))(scope, receive, send)

    router.default = lead


def _meant(path: str) -> tuple[str, str] | None:
    """The path with the slash or without it, and the way there; None where there is none."""
    whole = path.removesuffix("/")
    name = quote(whole.rpartition("/")[2], safe="")
    if not name or name in (".", ".."):
        return None
    return (f"{path}/", f"./{name}/") if whole == path else (whole, f"../{name}")
