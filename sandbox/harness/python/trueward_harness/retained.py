"""What a session keeps of the frames that it received, bounded by their bytes.

Some of what a candidate sends has to be kept, so that the same number gives the same object again: objects with a plain
value, objects of the tests' classes, shared containers. What came with the oldest frames is forgotten where it becomes
too much: it is a new object then when it comes once more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from .limits import RETAINED_BYTES


class Retained:
    """Counts each frame of which something is kept, whole, once."""

    def __init__(self) -> None:
        self._frames: deque[tuple[int, list[Callable[[], object]]]] = deque()
        self._bytes = 0
        self._open = False

    def frame(self) -> None:
        """A new frame has come: what is kept from now on is part of it."""
        self._open = False

    def keep(self, length: int, forget: Callable[[], object]) -> None:
        """Says that something of the last frame, of so many bytes, is kept until ``forget`` is called."""
        if not self._open:
            self._open = True
            self._frames.append((length, []))
            self._bytes += length
            while self._bytes > RETAINED_BYTES and len(self._frames) > 1:
                gone, forgetting = self._frames.popleft()
                self._bytes -= gone
                for each in forgetting:
                    each()
        self._frames[-1][1].append(forget)
