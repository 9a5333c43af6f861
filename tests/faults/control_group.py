"""A control group with a memory limit, for a service and all that it starts. Needs root."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_V2 = (_ROOT / "cgroup.controllers").exists()
_REMOVAL_S = 20.0


@dataclass(frozen=True, slots=True)
class ControlGroup:
    folder: Path

    @property
    def prefix(self) -> list[str]:
        """What a command is put behind to run in it."""
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs; exec "$@"', "sh"]

    def leave(self, mebibytes: int) -> None:
        """From now on there is so much memory beyond what is used."""
        used = int((self.folder / ("memory.current" if _V2 else "memory.usage_in_bytes")).read_text())
        self._limit(str(used + mebibytes * 2**20))

    def lift(self) -> None:
        """There is as much as on the machine."""
        self._limit("max" if _V2 else "-1")

    def _limit(self, value: str) -> None:
        if _V2:
            (self.folder / "memory.swap.max").write_text("0")
            (self.folder / "memory.max").write_text(value)
            return
        for _ in range(2):  # the limit with swap is never below the other: one of the two orders is right
            for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"):
                with suppress(OSError):
                    (self.folder / name).write_text(value)


@contextmanager
def control_group() -> Iterator[ControlGroup]:
    """Ends with the block; so must all that runs in it."""
    folder = (_ROOT if _V2 else _ROOT / "memory") / f"trueward-test-{os.getpid()}"
    if _V2:
        (_ROOT / "cgroup.subtree_control").write_text("+memory +pids")
    folder.mkdir()
    try:
        yield ControlGroup(folder)
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    deadline = time.monotonic() + _REMOVAL_S
    while folder.exists() and time.monotonic() < deadline:
        for below in sorted(folder.rglob("*/"), reverse=True):
            with suppress(OSError):
                below.rmdir()
        with suppress(OSError):
            folder.rmdir()
        time.sleep(0.1)
