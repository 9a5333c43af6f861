"""Why a question is asked: for its own sake, or to find out how a model is doing.

What is asked to find that out needs an answer of now. A model that answered a harmless question once, and since then
fails at everything, would put the blame on whichever response is judged. Whoever shares answers therefore shares those
to probes for :data:`FRESH_S` seconds alone, and those to fresh ones with nobody.

Whoever will ask about something harmless where a question fails says so with :func:`suspecting`: such a question is not
sent again and again to a server that may fail at nothing else. What is asked to find out waits for the server, but for
what shall fare as the suspected question did.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import Literal

FRESH_S = 20.0


@dataclass(slots=True)
class Probe:
    """``waited``: a server was down when it was to be asked, or failed at it before it answered."""

    kind: Literal["shared", "fresh"]
    patient: bool
    waited: bool = False


_probe: ContextVar[Probe | None] = ContextVar("probe", default=None)
Asked = Literal["first", "again", "alone"]
"""How a suspected question is asked: for the first time, again, or again of a server that is well and that no other may
take down at the same time."""
_suspecting: ContextVar[Asked | None] = ContextVar("suspecting", default=None)
_numbers = count(1)


@contextmanager
def probing(*, fresh: bool = False, patient: bool = True) -> Iterator[Probe]:
    """For what is asked within, and in tasks that are started within. ``patient`` waits for a server that is away."""
    probe = Probe("fresh" if fresh else "shared", patient)
    before = _probe.set(probe)
    try:
        yield probe
    finally:
        _probe.reset(before)


def current_probe() -> Probe | None:
    return _probe.get()


def is_probing() -> bool:
    return _probe.get() is not None


@contextmanager
def suspecting(asked: Asked | None) -> Iterator[None]:
    """For what is asked within, and in tasks that are started within; None leaves it as it was."""
    before = _suspecting.set(asked or _suspecting.get())
    try:
        yield
    finally:
        _suspecting.reset(before)


def current_suspicion() -> Asked | None:
    """How what is asked now is suspected; None where it is not, or where it waits for the server."""
    probe = _probe.get()
    return None if probe is not None and probe.patient else _suspecting.get()


def epoch() -> int:
    """Answers of the same epoch may be shared: 0 for ever, but for probes."""
    probe = _probe.get()
    if probe is None:
        return 0
    return 1 + int(time.monotonic() // FRESH_S) if probe.kind == "shared" else -next(_numbers)
