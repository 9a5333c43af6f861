"""Limits of memory and processes by control group, version 1 or 2, where this process may make groups.

Each slot lives in a group of its own; its limits are set anew for each run. Groups of a service that was killed
are removed by the next one. Not here: hosts without such rights (:mod:`.memory` watches there instead).
"""

from __future__ import annotations

import os
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
_PREFIX = "trueward-"
_REMOVAL_S = 1.0
_SLOT_PROCESSES = 1


@dataclass(frozen=True, slots=True)
class Names:
    """What a version of control groups calls its files. ``reached``: those that count how often the limit was in the
    way, whole or under the name ``oom``."""

    memory: str
    swap: str
    events: str
    reached: tuple[str, ...]


_V1 = Names(
    "memory.limit_in_bytes",
    "memory.memsw.limit_in_bytes",
    "memory.oom_control",
    ("memory.failcnt", "memory.memsw.failcnt"),
)
_V2 = Names("memory.max", "memory.swap.max", "memory.events", ("memory.events",))


_PEAK = "memory.max_usage_in_bytes"
_NEAR = 0.9


class Killed(Enum):
    """Whether the kernel killed a process of a group for memory, and whose limit that was."""

    NO = auto()
    BY_ITS_LIMIT = auto()
    BY_THE_HOST = auto()
    """The machine had no memory, or a group above."""


class Group:
    """One slot's group: its folder in each hierarchy (under version 2 both are the same one)."""

    def __init__(self, memory: Path | None, pids: Path | None, names: Names) -> None:
        self._folders = {folder for folder in (memory, pids) if folder}
        for folder in self._folders:
            folder.mkdir()
        self._names = names
        self._limits: tuple[int, int] = (0, 0)
        self._memory = memory
        self._pids = pids
        self._files: dict[str, int] = {}
        self._before = (0, 0)

    @property
    def counts_memory(self) -> bool:
        """Whether the kernel limits its memory."""
        return self._memory is not None

    def add(self, pid: int) -> None:
        """Moves a process in; its children are born there."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Sets the limits of the next run, which begins here."""
        if self._memory and memory_bytes != self._limits[0]:
            # version 1 wants the limit with swap never below the other: one of the two orders is right
            for name in (self._names.swap, self._names.memory, self._names.swap):
                value = "0" if name == _V2.swap else str(memory_bytes)
                with suppress(OSError) if name == self._names.swap else nullcontext():  # no swap, or not counted
                    self._write(self._memory, name, value)
        if self._pids and processes != self._limits[1]:
            self._write(self._pids, "pids.max", str(processes + _SLOT_PROCESSES))
        self._limits = (memory_bytes, processes)
        if self._memory and self._names is _V1:
            with suppress(OSError):  # then the most that it ever used counts
                self._write(self._memory, _PEAK, "0")
        self._before = self._counted()

    def check_killed(self) -> Killed:
        """Whether the kernel killed a process of this group for memory since the run began."""
        kills, reached = (now - before for now, before in zip(self._counted(), self._before, strict=True))
        if not kills:
            return Killed.NO
        return Killed.BY_ITS_LIMIT if reached or self._was_full() else Killed.BY_THE_HOST

    def _was_full(self) -> bool:
        """Version 1 does not count each time that the limit was in the way, and knows the most that was used."""
        if self._memory is None or self._names is not _V1:
            return False
        return int(self._read(self._memory, _PEAK)) > _NEAR * self._limits[0]

    def _counted(self) -> tuple[int, int]:
        """Processes killed for memory, and how often the group's own limit was in the way."""
        if self._memory is None:
            return 0, 0
        kills = field_of(self._read(self._memory, self._names.events), "oom_kill") or 0
        reached = 0
        for name in self._names.reached:
            with suppress(OSError):  # swap is not counted here
                text = self._read(self._memory, name)
                reached += int(text) if text.strip().isdigit() else field_of(text, "oom") or 0
        return kills, reached

    def remove(self) -> None:
        """Removes the group; waits for its processes to be gone, for a moment."""
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()
        for folder in self._folders:
            _remove(folder)

    def _open(self, folder: Path, name: str, flags: int) -> int:
        path = f"{folder}/{name}"
        key = f"{path} {flags}"
        if key not in self._files:
            self._files[key] = os.open(path, flags | os.O_CLOEXEC)
        return self._files[key]

    def _write(self, folder: Path, name: str, text: str) -> None:
        os.write(self._open(folder, name, os.O_WRONLY), text.encode())

    def _read(self, folder: Path, name: str) -> str:
        return os.pread(self._open(folder, name, os.O_RDONLY), 4096, 0).decode()


@dataclass(frozen=True, slots=True)
class Groups:
    """This service's groups: a folder in each hierarchy, or none. ``why`` says what lacks."""

    memory: Path | None
    pids: Path | None
    names: Names
    why: str = ""

    def group(self, number: int) -> Group:
        """A new slot's group."""
        name = f"slot-{number}"
        return Group(self.memory and self.memory / name, self.pids and self.pids / name, self.names)

    def remove(self) -> None:
        """Removes the service's own folders, with what is left in them."""
        for folder in {folder for folder in (self.memory, self.pids) if folder}:
            for below in folder.glob("slot-*"):
                _remove(below)
            _remove(folder)


NONE = Groups(None, None, _V2, "no control group may be made here")
"""A host that grants none."""


def field_of(text: str, name: str) -> int | None:
    """The number on the line of that name."""
    for line in text.splitlines():
        key, _, count = line.partition(" ")
        if key == name:
            return int(count)
    return None


def find() -> Groups:
    """Makes this service's folders wherever that is allowed: in its own group, or in one above."""
    own = own_groups()
    name = f"{_PREFIX}{os.getpid()}-{time.monotonic_ns()}"
    if (ROOT / "cgroup.controllers").exists():
        folder = _made(ROOT, own.get("", "/"), name, controllers=True)
        return Groups(folder, folder, _V2) if folder else NONE
    memory, pids = (
        _made(ROOT / controller, own[controller], name, controllers=False) if controller in own else None
        for controller in ("memory", "pids")
    )
    return Groups(memory, pids, _V1, "" if memory and pids else NONE.why)


def own_groups() -> dict[str, str]:
    """The group that this process is in, by controller; version 2 under the empty name."""
    found: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found


def _made(root: Path, own: str, name: str, *, controllers: bool) -> Path | None:
    parent = root / own.lstrip("/")
    while True:
        _sweep(parent)
        folder = parent / name
        try:
            folder.mkdir()
            if controllers:
                with suppress(OSError):  # on already, or refused: the next line tells
                    (parent / "cgroup.subtree_control").write_text("+memory +pids")
                (folder / "cgroup.subtree_control").write_text("+memory +pids")
            return folder
        except OSError:
            with suppress(OSError):
                folder.rmdir()
        if parent == root:
            return None
        parent = parent.parent


def _sweep(parent: Path) -> None:
    """Removes what services that are no more left here; the kernel refuses where a process still lives."""
    for folder in parent.glob(f"{_PREFIX}*"):
        pid = folder.name.split("-")[1]
        if pid.isdigit() and not Path("/proc", pid).exists():
            for below in [*folder.glob("slot-*"), folder]:
                with suppress(OSError):
                    below.rmdir()


def _remove(folder: Path) -> None:
    deadline = time.monotonic() + _REMOVAL_S
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.002)
