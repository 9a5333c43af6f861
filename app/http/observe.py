"""ASGI middleware that names, counts, times, traces and logs each request, with keys redacted, and answers failures.

Of a request that is refused the log says why: many a trainer shows the status of an answer alone. Of those that are
refused for overload one line a second says how many they were (:mod:`app.http.refusals`). One that met a
failure is answered here, so that log, metrics and trace see the status that the client gets; where its answer began,
the failure is raised further and the connection is cut. A start that fails has one line in the log: the reason where it
is known, else the exception.

A request's id is what the client sends as ``X-Request-Id``, or one of ours; it is in the answer, in problem documents
and in each line of the log.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

import structlog
from fastapi import Request
from fastapi.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.refusals import Refusals
from app.kit.tokens import new_id
from app.telemetry.logging import redact_keys, request
from app.telemetry.metrics import Metrics
from app.telemetry.tracing import Attribute, Tracing
from trueward.errors import TruewardError

Answer = Callable[[Request, Exception], Response | Awaitable[Response]]

MOST_CHARACTERS = 128
_FOREIGN = re.compile(r"[^A-Za-z0-9._:/+=@-]")
_GUARD = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
log = structlog.get_logger("app.http")


class Observe:
    """``answer`` makes the response to a request that met an exception which nobody expected. ``verbose``: requests
    that went well are logged, too, as they are at the level `debug`."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, answer: Answer, tracing: Tracing | None = None, *, verbose: bool = False
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._answer = answer
        self._tracing = tracing
        self._verbose = verbose
        self._refusals = Refusals()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = perf_counter()
        status, began = 500, False
        path, state = scope["path"], scope.setdefault("state", {})
        state["request_id"] = name = _request_id(scope["headers"])
        named = (b"x-request-id", name.encode())
        request.set(scope)
        span = self._tracing.request(scope["headers"]) if self._tracing is not None else None

        async def observed(message: Message) -> None:
            nonlocal status, began
            began = True
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _guarded([*message.get("headers", ()), named])
            await send(message)

        try:
            await self._app(scope, receive, observed)
        except Exception as failure:  # whatever it is, the client is answered; the handler logs it
            if began:
                raise
            made = self._answer(Request(scope, receive), failure)
            answer = made if isinstance(made, Response) else await made
            await answer(scope, receive, observed)
        finally:
            seconds = perf_counter() - start
            route = getattr(scope.get("route"), "path", "(none)")
            self._metrics.count_request(route, status, seconds)
            if self._verbose or (status >= 400 and not self._refusals.count(**_refusal(state))):
                level = log.warning if status >= 500 else log.info if status >= 400 else log.debug
                target = redact_keys(path, scope["query_string"].decode("latin-1"))
                said = {"method": scope["method"], "target": target, "status": status, "seconds": round(seconds, 6)}
                level("request", **said, **state.get("refused", {}))
            if span is not None:
                span.end(scope["method"], route, status, _span_attributes(scope))
        # not where it raised: whoever answers then has something to say of it
        state["answered"] = True

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        failed: Message | None = None

        async def held(message: Message) -> None:
            nonlocal failed
            if message["type"] == "lifespan.startup.failed":
                failed = {**message, "message": ""}  # of the places in the code: said below, where they are needed
            else:
                await send(message)

        try:
            await self._app(scope, receive, held)
        except Exception as failure:  # whatever it is, it is told in a line, and raised again
            if failed is not None:
                _tell(failure)
                await send(failed)
            raise
        finally:
            self._refusals.tell()


def _tell(failure: Exception) -> None:
    if isinstance(failure, TruewardError):
        log.error("the service cannot start", reason=failure.detail)
    else:
        log.error("the service cannot start", exc_info=failure)


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


def _refusal(state: dict[str, Any]) -> dict[str, str | None]:
    """By what code a request was refused, and whose it was."""
    refused, principal = state.get("refused"), state.get("principal")
    return {"code": refused and refused["code"], "owner": principal and principal.owner}


def _span_attributes(scope: Scope) -> dict[str, Attribute]:
    """Whose request it was, for its span."""
    state = scope["state"]
    told: dict[str, Attribute] = {"trueward.request_id": state["request_id"]}
    principal = state.get("principal")
    if principal is not None and principal.owner is not None:
        told["trueward.key"] = principal.owner
        told["trueward.project"] = principal.project or ""
    return told
