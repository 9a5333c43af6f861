"""Refuses, from its head alone, a native call that would wait for too long: before a route is found and a body is read.

Under overload most requests are such calls, and what each of them takes is taken from those that are answered. A call
that is let in counts as coming until it takes its turn (:mod:`app.admission.loop_queue`). Who asks without a valid key
is told that, and not how much there is to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fastapi import Request
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from app.admission.loop_queue import LoopQueue
from app.http.route import TurnRoute
from app.keys.admission import principal_of
from app.kit import problems
from trueward.errors import AnsweredError


class LoadShedding:
    """ASGI middleware. Of ``routes`` it guards those whose requests may be refused; ``count`` is told of refusals."""

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute], count: Callable[[int, str], None]) -> None:
        self._app = app
        self._count = count
        self._guarded = {route.path: route for route in routes if isinstance(route, TurnRoute) and route.held_s is None}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._guarded.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if route is None:
            await self._app(scope, receive, send)
            return
        request, state = Request(scope), scope["state"]
        line: LoopQueue = state["line"]
        size = _size(scope["headers"])
        try:
            principal = await principal_of(request)
            coming = line.announce(principal.project, route.path, size)
        except AnsweredError as refusal:
            scope["route"] = route
            await problems.report_problem(request, refusal, self._count)(scope, receive, send)
            return
        state["coming"] = coming
        try:
            await self._app(scope, receive, send)
        finally:
            line.withdraw(coming)


def _size(headers: Iterable[tuple[bytes, bytes]]) -> int:
    """Bytes of the body, as its head says; 0 where it does not."""
    for name, value in headers:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0
