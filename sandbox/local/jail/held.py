"""How long the host kept programs from running: their threads were ready, and others had the processors.

The kernel counts it for each thread (``schedstat``, its second field). One that sleeps, or waits for another of its
program, is not ready and is not counted; nor is one that has made itself less urgent, or keeps to fewer processors than
it was given. While one thread of a program runs the program runs, so what its threads take from each other is no wait
of it: a thread's wait is surely the host's by as much as it is longer than all others of the program ran. Threads that
live at once may have waited at once, for the same time: only what those waited that followed each other adds up. Of the
rest nobody can say whom it was for, and no more than a bound is believed. Of threads that have ended as much is known
as when they were last looked at.
"""

from __future__ import annotations

import math
import os
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

_UTIME, _CSTIME, _NICE, _BEGAN, _POLICY = 11, 14, 16, 19, 38
"""Fields of ``stat`` after the name; between the first two lie those of system time and of children waited for."""

_STOPPED = (b"T", b"t")

_DOUBTFUL_S = 0.5
"""The most that is believed of waits that a program's threads may owe each other."""


class Thread(NamedTuple):
    """What one ran and waited, and from when until when it is known to have lived."""

    ran_s: float
    waited_s: float
    began_s: float
    seen_s: float


@dataclass(frozen=True)
class Counted:
    """``ran_s``: processor time of all threads together; ``sure_s``: waits that no other of them can explain."""

    waited_s: float
    sure_s: float
    ran_s: float

    @classmethod
    def of(cls, threads: Iterable[Thread], ran_s: float) -> Counted:
        """Of these threads; ``ran_s``: what all processes ran, in ticks of 10 ms each."""
        threads = list(threads)
        ran_s = max(ran_s, sum(thread.ran_s for thread in threads))
        waited_s = sum(thread.waited_s for thread in threads)
        return cls(waited_s, _sure_s(threads, ran_s), ran_s)

    def estimate_held_s(self, elapsed_s: float) -> float:
        """Seconds of those that passed in which the host let nothing of it run."""
        return max(0.0, min(max(self.sure_s, min(self.waited_s, _DOUBTFUL_S)), elapsed_s - self.ran_s))


def _sure_s(threads: list[Thread], ran_s: float) -> float:
    """The most that threads which followed each other waited by, each less what all others ran."""
    ends, most = [-math.inf], [0.0]
    for thread in sorted(threads, key=lambda thread: thread.seen_s):
        sure_s = max(0.0, thread.waited_s - max(0.0, ran_s - thread.ran_s))
        before_s = most[bisect_right(ends, thread.began_s) - 1]
        ends.append(thread.seen_s)
        most.append(max(most[-1], before_s + sure_s))
    return most[-1]


class Processes:
    """All that runs below some slots, by the host's ``/proc`` (a descriptor); slot 0 is the one that asks.

    Where that cannot be read, nothing has run or waited as far as is known. ``less_urgent``: by how much they are
    nicer from the start. ``last_id``: a descriptor of the last process id of the slot that asks; -1 for none.
    """

    def __init__(self, proc: int, slots: tuple[int, ...], less_urgent: int = 0, last_id: int = -1) -> None:
        self._proc = proc
        self._last_id = last_id
        self._first = self._last = 0
        self._slots = slots
        self._ticks_s = 1.0 / os.sysconf("SC_CLK_TCK")
        self._threads: dict[str, Thread] = {}
        self._ran: dict[str, float] = {}
        niceness, policy, allowed = self._urgency("self")
        self._given = niceness + less_urgent, policy, allowed

    def count(self) -> Counted:
        """Since the processes began."""
        ran, now_s = dict(self._ran), time.clock_gettime(time.CLOCK_BOOTTIME)
        for process in self._all():
            with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
                ran[process] = sum(map(int, self._stat(process)[_UTIME : _CSTIME + 1])) * self._ticks_s
            for thread in self._names(f"{process}/task"):
                with suppress(OSError, ValueError, IndexError):
                    folder = f"{process}/task/{thread}"
                    if self._urgency(folder) == self._given:
                        ran_ns, waited_ns = map(int, self._read(f"{folder}/schedstat").split()[:2])
                        began_s = int(self._stat(folder)[_BEGAN]) * self._ticks_s
                        self._threads[thread] = Thread(ran_ns / 1e9, waited_ns / 1e9, began_s, now_s)
        # what the others ran is counted again where their parents wait for them
        first = {child for slot in self._slots for child in self._children(str(slot or self._own()))}
        self._ran.update({process: seconds for process, seconds in ran.items() if process in first})
        return Counted.of(self._threads.values(), sum(ran.values()))

    def is_stopped(self) -> bool:
        """Whether a signal has stopped any of them."""
        for process in self._all():
            with suppress(OSError, IndexError):
                if self._stat(process)[0] in _STOPPED:
                    return True
        return False

    def begin(self, first: int) -> None:
        """The slot that asks has begun a program whose process has that id within it."""
        self._first = self._last = first

    def know_all(self) -> bool:
        """Whether every thread below the slot that asks is still there, by the ids that the kernel has given.

        Once they have begun anew nobody can say. No process is made to find out: it would wait for its turn among the
        program's own.
        """
        try:
            last = int(os.pread(self._last_id, 32, 0))
        except (OSError, ValueError):
            return False
        self._last = last if last >= self._last > 0 else 0
        threads = sum(len(self._names(f"{process}/task")) for process in self._all((0,)))
        return self._last > 0 and self._last - self._first < threads

    def awake_s(self) -> float:
        """Seconds that the process that asks ran, or was ready and others had the processors."""
        with suppress(OSError, ValueError):
            return sum(map(int, self._read("self/schedstat").split()[:2])) / 1e9
        return 0.0

    def _all(self, slots: tuple[int, ...] = ()) -> Iterator[str]:
        waiting = [child for slot in slots or self._slots for child in self._children(str(slot or self._own()))]
        while waiting:
            process = waiting.pop()
            waiting.extend(self._children(process))
            yield process

    def _own(self) -> str:
        with suppress(OSError):
            return os.readlink("self", dir_fd=self._proc)
        return ""

    def _children(self, process: str) -> list[str]:
        found: list[str] = []
        for thread in self._names(f"{process}/task"):
            with suppress(OSError):
                found += self._read(f"{process}/task/{thread}/children").decode("ascii").split()
        return found

    def _urgency(self, path: str) -> tuple[int, bytes, bytes]:
        """Niceness, policy, and processors allowed."""
        with suppress(OSError, IndexError, ValueError):
            fields = self._stat(path)
            allowed = self._read(f"{path}/status").partition(b"\nCpus_allowed:")[2].partition(b"\n")[0]
            return int(fields[_NICE]), fields[_POLICY], allowed
        return 0, b"", b""

    def _stat(self, path: str) -> list[bytes]:
        return self._read(f"{path}/stat").rpartition(b")")[2].split()

    def _names(self, folder: str) -> list[str]:
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._proc)
            try:
                with os.scandir(descriptor) as entries:
                    return [entry.name for entry in entries]
            finally:
                os.close(descriptor)
        return []

    def _read(self, path: str) -> bytes:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._proc)
        try:
            return os.read(descriptor, 8192)
        finally:
            os.close(descriptor)
