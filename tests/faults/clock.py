"""A wall clock that jumps under a service; the other clocks of its processes go on as they are (``clock.c``)."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_suffix(".c")


class Clock:
    """Lives in a directory, beside the library that a process is to be started with."""

    def __init__(self, folder: Path) -> None:
        self._library = folder / "clock.so"
        self._shift = folder / "clock"
        self._shift.write_bytes(struct.pack("=q", 0))
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-o", self._library, _SOURCE], check=True)

    @property
    def prefix(self) -> list[str]:
        """What a command is put behind to live by this clock; so do the processes that it starts."""
        return ["env", f"LD_PRELOAD={self._library}", f"CLOCK_SHIFT={self._shift}"]

    def shift(self, hours: float) -> None:
        """Sets the clock so many hours away from the real time, at once."""
        with self._shift.open("r+b") as file:
            file.write(struct.pack("=q", round(hours * 3600)))
