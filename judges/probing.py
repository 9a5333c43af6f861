"""Why a question is asked: for its own sake, or to find out how a model is doing.

What is asked to find that out needs an answer of now. A model that answered a harmless question once, and since then
fails at everything, would put the blame on whichever response is judged. Whoever shares answers therefore shares those
to probes for :data:`FRESH_S` seconds alone, and those to fresh ones with nobody.

Whoever will ask about something harmless where a question fails says so with :func:`suspecting`: such a question is not
sent again and again to a server that may fail at nothing else. What is asked to find out waits for the server.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Literal

FRESH_S = 20.0
_probing: ContextVar[Literal["", "shared", "fresh"]] = ContextVar("probing", default="")
_suspecting: ContextVar[bool] = ContextVar("suspecting", default=False)
_numbers = count(1)


@contextmanager
def probing(*, fresh: bool = False) -> Iterator[None]:
    """For what is asked within, and in tasks that are started within."""
    before = _probing.set("fresh" if fresh else "shared")
    try:
        yield
    finally:
        _probing.reset(before)


def is_probing() -> bool:
    return bool(_probing.get())


@contextmanager
def suspecting(cause: bool) -> Iterator[None]:
    """For what is asked within, and in tasks that are started within; where ``cause`` is false it is as it was."""
    before = _suspecting.set(cause or _suspecting.get())
    try:
        yield
    finally:
        _suspecting.reset(before)


def is_suspecting() -> bool:
    return _suspecting.get() and not is_probing()


def epoch() -> int:
    """Answers of the same epoch may be shared: 0 for ever, but for probes."""
    match _probing.get():
        case "":
            return 0
        case "shared":
            return 1 + int(time.monotonic() // FRESH_S)
        case "fresh":
            return -next(_numbers)
