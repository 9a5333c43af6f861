"""What one item may use, and how a process reads and bounds its use.

CPU and wall-clock seconds count from the start of an item's stage and are enforced from outside, by the
pool; wall-clock seconds in which the host ran others do not count, up to a bound of their own. Memory is
enforced by the kernel on the worker's address space. Not covered: processes that a verifier starts itself
(they die with their worker unless they leave its process group, and their CPU seconds are not counted).
Linux only.
"""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_CPUCLOCK_SCHED = 2
_WORSE = "500"
"""Worse than the service, and better than what programs have (900)."""

_HEADROOM_BYTES = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class Limits:
    """Per item and stage: the worker's own CPU seconds, wall-clock seconds; per worker: address space in bytes."""

    cpu_s: float = 1.0
    wall_s: float = 6.0
    memory_bytes: int = 2 * 1024**3


def confine(memory_bytes: int) -> None:
    """Bounds the calling process's address space and forbids core dumps. Where the machine has no memory, the kernel
    ends it before the service, which starts another."""
    with suppress(OSError):  # no such file on this system: the kernel chooses as it likes
        Path("/proc/self/oom_score_adj").write_text(_WORSE, encoding="ascii")
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes + _HEADROOM_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def relax() -> None:
    """After a MemoryError: some room to tell of it."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def cpu_seconds(pid: int) -> float:
    """CPU seconds used by all threads of a process, comparable with its own ``time.process_time()``.

    Raises OSError where the process is gone.
    """
    return time.clock_gettime((~pid << 3) | _CPUCLOCK_SCHED)


def read_held_seconds(pid: int) -> float:
    """How long the host let others run while a process was ready to (its first thread); 0 where that is not told."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def resident_bytes(pid: int) -> int:
    """Memory that a process holds; 0 where it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0
