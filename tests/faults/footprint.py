"""Processes and descriptors of a service: what it has, and what it must not have left behind."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

import psutil

SLACK = 12
"""Descriptors that caches of connections and files may differ by."""
_SETTLE_S = 30.0


@dataclass(frozen=True, slots=True)
class Footprint:
    processes: int
    descriptors: int


def footprint(pid: int) -> Footprint:
    service = psutil.Process(pid)
    return Footprint(len(service.children(recursive=True)), service.num_fds())


def children(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def assert_no_growth(pid: int, before: Footprint) -> None:
    """Within half a minute the service has no more than before, but for the slack."""
    deadline = time.monotonic() + _SETTLE_S
    while True:
        after = footprint(pid)
        if after.processes <= before.processes and after.descriptors <= before.descriptors + SLACK:
            return
        assert time.monotonic() < deadline, f"{before} became {after}:\n{_listed(pid)}"
        time.sleep(0.2)


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
