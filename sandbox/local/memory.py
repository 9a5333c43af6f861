"""Watches a jail's memory where no control group does: the anonymous memory of all its processes together.

Looks every ``WATCH_S`` seconds, so a jail may pass its limit by what it can touch in that time; RLIMIT_AS, some way
above it, bounds each process at once where the language allows. Pages that several processes share are counted for
each.
Not seen: shared anonymous memory that no process has mapped at the moment.

Also: how many processes the kernel killed for memory in the service's own group, or on the machine.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from functools import cache
from pathlib import Path

from sandbox.local.cgroup import ROOT, field_of, own_groups

WATCH_S = 0.05

_PAGE_BYTES = resource.getpagesize()


def measure_bytes(slot: int) -> int:
    """Anonymous and shared memory of all descendants of a slot, by its process id."""
    total = 0
    waiting = _children(slot)
    while waiting:
        pid = waiting.pop()
        waiting.extend(_children(pid))
        with suppress(OSError, ValueError):  # it has ended meanwhile
            for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) * 1024
    return total


def host_kills() -> int:
    """Since it began; 0 where nothing tells. A group of the service's own counts for itself: one container's others do
    not."""
    return next((kills for kills in map(_kills, _counts()) if kills is not None), 0)


@cache
def _counts() -> tuple[Path, ...]:
    """Files that count them, the best first."""
    own = own_groups()
    group = ROOT / own.get("", "/").lstrip("/")
    memory = ROOT / "memory"
    of_its_own = memory / own.get("memory", "/").lstrip("/")
    files = (group / "memory.events", of_its_own / "memory.oom_control", memory / "memory.oom_control")
    return tuple(file for file in (*files, Path("/proc/vmstat")) if _kills(file) is not None)


def _kills(file: Path) -> int | None:
    with suppress(OSError):
        return field_of(file.read_text(encoding="ascii"), "oom_kill")
    return None


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):  # it has ended meanwhile
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found.extend(map(int, (task / "children").read_text(encoding="ascii").split()))
    return found
