"""Processes and descriptors of a service: what it has, and what it must not have left behind."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

import psutil

SLACK = 12
"""Descriptors that caches of connections and files may differ by."""
AT_ONCE = 5
"""Programs that a load runs at once: four of a request, and one that a test asks for beside it."""
SLOT_DESCRIPTORS = 6
_SETTLE_S = 30.0


@dataclass(frozen=True, slots=True)
class Footprint:
    """``slots`` are the local sandbox's, of two processes each, which ``processes`` leaves out.

    A slot starts when more programs run at once than ever before, and stays.
    """

    processes: int
    descriptors: int
    slots: int


def footprint(pid: int) -> Footprint:
    service = psutil.Process(pid)
    everything = children(pid)
    jails = {each.pid for each in everything if _is_jail(each, pid)}
    slots = sum(_parent(each) in jails for each in everything)
    return Footprint(len(everything) - 2 * slots, service.num_fds(), slots)


def children(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def assert_no_growth(pid: int, before: Footprint) -> None:
    """Within half a minute the service has no more than before, but for the slack."""
    deadline = time.monotonic() + _SETTLE_S
    while True:
        after = footprint(pid)
        allowed = before.descriptors + SLACK + SLOT_DESCRIPTORS * max(0, after.slots - before.slots)
        fewer = after.processes <= before.processes and after.slots <= max(before.slots, AT_ONCE)
        if fewer and after.descriptors <= allowed:
            return
        assert time.monotonic() < deadline, f"{before} became {after}:\n{_listed(pid)}"
        time.sleep(0.2)


def _is_jail(process: psutil.Process, service: int) -> bool:
    """Whether it is the server of the service's local sandbox, whose children are the slots."""
    with suppress(psutil.NoSuchProcess):
        return bool(process.ppid() == service) and "jail.server" in " ".join(process.cmdline())
    return False


def _parent(process: psutil.Process) -> int:
    with suppress(psutil.NoSuchProcess):
        return int(process.ppid())
    return 0


def _listed(pid: int) -> str:
    """A line a process: its age in seconds, whose child it is, and the end of its command."""
    told = []
    for each in children(pid):
        with suppress(psutil.Error):
            age_s = time.time() - each.create_time()
            told.append(f"{age_s:.0f} s: {each.pid} of {each.ppid()}: {' '.join(each.cmdline())[-150:]}")
    return "\n".join(told)


def assert_gone(processes: list[psutil.Process]) -> None:
    """Within half a minute none of them runs any more."""
    deadline = time.monotonic() + _SETTLE_S
    while left := [process for process in processes if _runs(process)]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def kill(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.kill()


def _runs(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
