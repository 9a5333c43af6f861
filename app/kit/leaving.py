"""Clients that go away while they are being answered: what is done for them alone is given up.

The connection says that a client has left (:func:`left`); a handler says for how long it may be given up
(:func:`unless_gone`), so that what has to be finished, such as an administrator's act, is. Both meet in the request's
state. Where no connection says anything, as in a test without a server, nothing is given up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, MutableMapping
from typing import Any

from fastapi import Request, Response

CLIENT_GONE = 499
"""Nobody reads it; it is what the metrics count."""

_GONE = "client_gone"
_MAY_STOP = "client_may_stop"


def left(state: MutableMapping[str, Any], answering: asyncio.Task[None]) -> None:
    """The client of a request has gone, and ``answering`` is the task that answers it."""
    state[_GONE] = True
    if state.get(_MAY_STOP):
        answering.cancel()


async def unless_gone(request: Request, answer: Coroutine[Any, Any, Response]) -> Response:
    """The answer, or :data:`CLIENT_GONE` where the client leaves before it is there."""
    state: MutableMapping[str, Any] = request.scope["state"]
    if state.get(_GONE):
        answer.close()
        return Response(status_code=CLIENT_GONE)
    state[_MAY_STOP] = True
    try:
        return await answer
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not state.get(_GONE) or task is None:
            raise
        task.uncancel()
        return Response(status_code=CLIENT_GONE)
    finally:
        state[_MAY_STOP] = False
