"""Whether what is asked now is asked to find out how a model is doing: then an answer of long ago will not do.

A model that answered a harmless question once, and since then fails at everything, would put the blame on whichever
response is judged. Whoever shares answers therefore shares those to probes for :data:`FRESH_S` seconds alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

FRESH_S = 20.0
_probing: ContextVar[bool] = ContextVar("probing", default=False)


@contextmanager
def probing() -> Iterator[None]:
    """For what is asked within, and in tasks that are started within."""
    before = _probing.set(True)
    try:
        yield
    finally:
        _probing.reset(before)


def is_probing() -> bool:
    return _probing.get()


def epoch() -> int:
    """Answers of the same epoch may be shared: 0 for ever, but for probes."""
    return 1 + int(time.monotonic() // FRESH_S) if _probing.get() else 0
