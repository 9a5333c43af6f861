"""What the container's own control group has counted, version 1 or 2; None where this runtime does not show it."""

from __future__ import annotations

_ROOT = "/sys/fs/cgroup"


def _text(*names: str) -> str | None:
    for name in names:
        try:
            with open(f"{_ROOT}/{name}", encoding="ascii") as file:
                return file.read()
        except OSError:
            continue
    return None


def _field(text: str | None, name: str) -> int | None:
    for line in (text or "").splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return None


def cpu_s() -> float | None:
    """CPU seconds of all its processes since it began."""
    used = _field(_text("cpu.stat"), "usage_usec")
    if used is not None:
        return used / 1e6
    nanoseconds = _text("cpuacct/cpuacct.usage", "cpu,cpuacct/cpuacct.usage")
    return None if nanoseconds is None else int(nanoseconds) / 1e9


def oom_kills() -> int:
    """Processes that the kernel has killed for its memory limit; 0 where unknown."""
    return _field(_text("memory.events", "memory/memory.oom_control"), "oom_kill") or 0
