"""ASGI middleware: the rule for a stranger's text, held for the path and the query of a request."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from verifiers.legible import legible

_NUL, _REPLACEMENT = b"%00", b"%EF%BF%BD"


class StorableTarget:
    """NUL becomes U+FFFD: PostgreSQL refuses it, also where it is only compared."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and ("\x00" in scope["path"] or _NUL in scope["query_string"]):
            query = scope["query_string"].replace(_NUL, _REPLACEMENT)
            scope = {**scope, "path": legible(scope["path"]), "query_string": query}
        await self._app(scope, receive, send)
