"""The collector's pauses are bounded, and memory that a burst took goes back to the system once the burst is over.

glibc keeps what is free, unless it is told to give it back; elsewhere nothing is told. It is told in moments in which
the event loop has no request at work, though some may wait for judges: beside a slow judge there are always some. What
caches hold stays: it is bounded by bytes (:mod:`app.kit.cache`). Not covered: what is free within the arenas of
Python's own allocator, of which one small object that is in use keeps a MiB.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
from collections.abc import Callable
from typing import ClassVar

import structlog

from app.kit.background import Background
from app.lanes.cpu.limits import resident_bytes

LOOK_S = 5.0
WORTH_BYTES = 16 * 2**20
"""Growth since the last time that is worth a search of the heap: some 7 ms for 100 MiB."""
YOUNG, YOUNG_TIMES, RARELY = 5_000, 3, 5_000
"""The collector's thresholds. While thousands of requests wait, most objects that it looks through are in use, at some
5 microseconds an object. With 25,000 objects at most it stops the loop for a tenth of a second. A full collection comes
after a hundred million new objects: what requests make is freed by its reference count."""

log = structlog.get_logger(__name__)


def set_up_collector() -> None:
    """Keeps what start-up made out of the collector's sight, as it stays, and bounds what one collection takes."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(YOUNG, YOUNG_TIMES, RARELY)


class MemoryTrimmer(Background):
    """``busy`` says whether requests are at work in the event loop, or wait for it."""

    task: ClassVar[str] = "memory"

    def __init__(self, busy: Callable[[], bool]) -> None:
        self._busy = busy
        self._kept_bytes = 0

    async def _run(self) -> None:
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        self._kept_bytes = resident_bytes(os.getpid())
        while trim is not None:
            await asyncio.sleep(LOOK_S)
            before = resident_bytes(os.getpid())
            if not self._busy() and before - self._kept_bytes > WORTH_BYTES:
                await asyncio.to_thread(trim, 0)
                self._kept_bytes = resident_bytes(os.getpid())
                log.info("memory given back", before=before, after=self._kept_bytes)
