"""Memory that a burst took goes back to the system once the burst is over: glibc keeps what is free, unless it is told.

What caches hold stays: it is bounded by bytes (:mod:`app.kit.cache`). Elsewhere than under glibc this does nothing.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections.abc import Callable
from typing import ClassVar

import structlog

from app.kit.background import Background
from app.lanes.cpu.limits import resident_bytes

LOOK_S = 5.0
WORTH_BYTES = 64 * 2**20
"""Growth since the last time that is worth the tenths of a second that a search of the heap may take."""

log = structlog.get_logger(__name__)


class MemoryTrimmer(Background):
    """``busy`` says whether requests are on their way."""

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
