"""ASGI middleware: what goes wrong is told once, and told as it is, to whoever waits, to the log and to the metrics.

A request that met a failure is answered here, within all that observes requests, so that they see the status that the
client gets. One that fails after its answer began is raised further, and its connection is cut. A start that fails has
one line in the log: the reason where it is known, else the exception.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog
from fastapi import Request
from fastapi.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trueward.errors import TruewardError

Answer = Callable[[Request, Exception], Response | Awaitable[Response]]
log = structlog.get_logger(__name__)


class Failures:
    """``answer`` makes the response to a request that met an exception which nobody expected."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self._app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        else:
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = False

        async def noted(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as failure:  # whatever it is, the client is answered; the handler logs it
            if began:
                raise
            made = self._answer(Request(scope, receive), failure)
            answer = made if isinstance(made, Response) else await made
            await answer(scope, receive, send)

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


def _tell(failure: Exception) -> None:
    if isinstance(failure, TruewardError):
        log.error("the service cannot start", reason=failure.detail)
    else:
        log.error("the service cannot start", exc_info=failure)
