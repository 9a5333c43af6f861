"""What processes cost: CPU, memory, descriptors of a server with all its descendants, and of the whole machine.

Seconds of CPU include those of children that have ended and were waited for. Memory is proportional set size:
pages that a fork shares are counted once. Linux only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

SETTLE_S = 30.0
"""Seconds that a server has to replace the last worker it lost."""
_POLL_S = 0.1
_STEADY = 3
"""Descriptors no longer change where so many looks in a row find as many."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """``kinds``: how many descriptors are sockets, pipes, files and so on."""

    processes: int
    descriptors: int
    memory_bytes: int
    kinds: dict[str, int] = field(default_factory=dict)


class Tree:
    """A process and its descendants, looked up anew at each call."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)

    def members(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            return [self._root, *self._root.children(recursive=True)]
        return []

    def cpu_s(self) -> tuple[float, float]:
        """Of the root alone, and of all that it started."""
        members = self.members()
        own, started = 0.0, 0.0
        for process in members:
            with suppress(psutil.NoSuchProcess):
                used = process.cpu_times()
                here, ended = used.user + used.system, used.children_user + used.children_system
                own += here if process == self._root else 0.0
                started += ended + (0.0 if process == self._root else here)
        return own, started

    def footprint(self) -> Footprint:
        processes = memory = 0
        kinds: Counter[str] = Counter()
        for process in self.members():
            with suppress(psutil.NoSuchProcess, FileNotFoundError):
                memory += process.memory_full_info().pss
                kinds.update(_kinds(process.pid))
                processes += 1
        return Footprint(processes, kinds.total(), memory, dict(kinds))

    def settled(self, processes: int) -> Footprint:
        """The footprint once as many processes are there and their descriptors stay; or after ``SETTLE_S``."""
        deadline = time.monotonic() + SETTLE_S
        looks: list[tuple[int, int]] = []
        while time.monotonic() < deadline:
            looks.append(self._counts())
            if len(looks) >= _STEADY and {looks[-1]} == {*looks[-_STEADY:]} and looks[-1][0] == processes:
                break
            time.sleep(_POLL_S)
        return self.footprint()

    def _counts(self) -> tuple[int, int]:
        """Processes, and their descriptors."""
        members = self.members()
        descriptors = 0
        for process in members:
            with suppress(psutil.NoSuchProcess):
                descriptors += process.num_fds()
        return len(members), descriptors


@dataclass(slots=True)
class Bill:
    """CPU seconds over a stretch of time. ``foreign`` is what neither server, client nor this process used."""

    wall_s: float = 0.0
    server_s: float = 0.0
    workers_s: float = 0.0
    foreign_s: float = 0.0

    @property
    def foreign_cores(self) -> float:
        return self.foreign_s / self.wall_s

    @property
    def tree_s(self) -> float:
        return self.server_s + self.workers_s


@contextmanager
def billed(tree: Tree) -> Iterator[Bill]:
    """Fills in the bill when the block ends. The client's CPU counts with this process's children."""
    bill = Bill()
    start = (time.monotonic(), _machine_s(), _own_s(), *tree.cpu_s())
    yield bill
    end = (time.monotonic(), _machine_s(), _own_s(), *tree.cpu_s())
    bill.wall_s, machine_s, own_s, bill.server_s, bill.workers_s = (b - a for a, b in zip(start, end, strict=True))
    bill.foreign_s = max(0.0, machine_s - own_s - bill.tree_s)


def _machine_s() -> float:
    """Seconds in which a core was busy, or taken by another guest of the same host."""
    t = psutil.cpu_times()
    return float(t.user + t.nice + t.system + t.irq + t.softirq + t.steal)


def _own_s() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def machine() -> dict[str, str | int]:
    """What the numbers were measured on."""
    models = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "cpu": models[0] if models else os.uname().machine,
        "cores": os.cpu_count() or 0,
        "memory_gib": round(psutil.virtual_memory().total / 2**30),
        "kernel": os.uname().release,
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _kinds(pid: int) -> Iterator[str]:
    """What each descriptor of a process is: ``socket``, ``pipe``, ``anon_inode:[eventpoll]``, ``file``."""
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            name = str(descriptor.readlink())
            if name.startswith("anon_inode:"):
                yield name.removeprefix("anon_inode:").strip("[]")
            else:
                yield "file" if name.startswith("/") else name.partition(":")[0]


def stop(process: subprocess.Popen[bytes], patience_s: float = 30.0) -> list[int]:
    """Ends a server with SIGTERM, then by force; gives what outlived it, which is killed, too."""
    return _end(process, signal.SIGTERM, patience_s)


def crash(process: subprocess.Popen[bytes]) -> list[int]:
    """kill -9 of the server's own process alone; gives the descendants that did not die of it."""
    return _end(process, signal.SIGKILL, 0.0)


def _end(process: subprocess.Popen[bytes], how: signal.Signals, patience_s: float) -> list[int]:
    if process.poll() is not None:
        return []
    started = Tree(process.pid).members()[1:]
    process.send_signal(how)
    try:
        process.wait(patience_s or None)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return _outlived(started)


def _outlived(processes: list[psutil.Process], within_s: float = 5.0) -> list[int]:
    _, alive = psutil.wait_procs(processes, timeout=within_s)
    for process in alive:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return [process.pid for process in alive]
