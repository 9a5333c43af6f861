"""ASGI middleware that names, counts, times, traces and logs each request, with keys redacted.

Of one that is refused the log says why: many a trainer shows the status of an answer alone.

A request's id is what the client sends as ``X-Request-Id``, or one of ours; it is in the answer, in problem documents
and in each line of the log.
"""

from __future__ import annotations

import re
from time import perf_counter

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.kit.tokens import new_id
from app.logging import redacted, request
from app.metrics import Metrics
from app.tracing import Attribute, Tracing

MOST_CHARACTERS = 128
_FOREIGN = re.compile(r"[^A-Za-z0-9._:/+=@-]")
_GUARD = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
log = structlog.get_logger("app.http")


class Observe:
    """``verbose``: requests that went well are logged, too, as they are at the level `debug`."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, tracing: Tracing | None = None, *, verbose: bool = False
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._tracing = tracing
        self._verbose = verbose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = perf_counter()
        status = 500
        path, state = scope["path"], scope.setdefault("state", {})
        state["request_id"] = name = _request_id(scope["headers"])
        named = (b"x-request-id", name.encode())
        request.set(scope)
        span = self._tracing.request(scope["headers"]) if self._tracing is not None else None

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _guarded([*message.get("headers", ()), named])
            await send(message)

        try:
            await self._app(scope, receive, observed)
        finally:
            seconds = perf_counter() - start
            route = getattr(scope.get("route"), "path", "(none)")
            self._metrics.count_request(route, status, seconds)
            if self._verbose or status >= 400:
                level = log.warning if status >= 500 else log.info if status >= 400 else log.debug
                target = redacted(path, scope["query_string"].decode("latin-1"))
                said = {"method": scope["method"], "target": target, "status": status, "seconds": round(seconds, 6)}
                level("request", **said, **state.get("refused", {}))
            if span is not None:
                span.end(scope["method"], route, status, _asked(scope))
        # not where it raised: whoever answers then has something to say of it
        state["answered"] = True


def _request_id(headers: list[tuple[bytes, bytes]]) -> str:
    """The client's, without what has no place in an id, and no longer than :data:`MOST_CHARACTERS`; or a new one."""
    for name, value in headers:
        if name == b"x-request-id":
            given = _FOREIGN.sub("", value[:MOST_CHARACTERS].decode("latin-1"))
            return given or new_id()
    return new_id()


def _guarded(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """With what keeps an answer out of caches and from being taken for a page, where it does not say otherwise."""
    present = {name for name, _ in headers}
    return headers + [header for header in _GUARD if header[0] not in present]


def _asked(scope: Scope) -> dict[str, Attribute]:
    """Whose request it was, for its span."""
    state = scope["state"]
    told: dict[str, Attribute] = {"trueward.request_id": state["request_id"]}
    principal = state.get("principal")
    if principal is not None and principal.owner is not None:
        told["trueward.key"] = principal.owner
        told["trueward.project"] = principal.project or ""
    return told
