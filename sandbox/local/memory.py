"""Watches a jail's memory where no control group does: the anonymous memory of all its processes together.

Looks every ``WATCH_S`` seconds, so a jail may pass its limit by what it can touch in that time; RLIMIT_AS bounds
each process at once where the language allows. Pages that several processes share are counted for each.
Not seen: shared anonymous memory that no process has mapped at the moment.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

WATCH_S = 0.05

_PAGE_BYTES = resource.getpagesize()


def used_bytes(slot: int) -> int:
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


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):  # it has ended meanwhile
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found.extend(map(int, (task / "children").read_text(encoding="ascii").split()))
    return found
