"""ASGI middleware that counts, times and logs each request, with keys redacted."""

from __future__ import annotations

from time import perf_counter

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.logging import redacted
from app.metrics import Metrics

log = structlog.get_logger("app.http")


class Observe:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = perf_counter()
        status = 500

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, observed)
        finally:
            seconds = perf_counter() - start
            route = getattr(scope.get("route"), "path", "(none)")
            self._metrics.requests.labels(route, status).inc()
            self._metrics.request_s.labels(route).observe(seconds)
            level = log.warning if status >= 500 else log.info if status >= 400 else log.debug
            level(
                "request",
                method=scope["method"],
                target=redacted(scope["path"], scope["query_string"].decode("latin-1")),
                status=status,
                seconds=round(seconds, 6),
            )
