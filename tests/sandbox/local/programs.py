"""Short names for what the tests of this folder do most."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from sandbox.base import Execution, Program, run
from sandbox.limits import Limits
from sandbox.local import LocalSandbox

QUICK = Limits(wall_s=5.0, cpu_s=5.0, memory_bytes=256 * 2**20, disk_bytes=8 * 2**20, processes=16)


async def python(sandbox: LocalSandbox, source: str, stdin: bytes = b"", limits: Limits = QUICK) -> Execution:
    """Runs a Python program once."""
    return await run(sandbox, Program("python", source), limits, stdin)


async def said(sandbox: LocalSandbox, source: str, stdin: bytes = b"", limits: Limits = QUICK) -> str:
    """What a Python program that ends well prints."""
    execution = await python(sandbox, source, stdin, limits)
    assert execution.exit_code == 0, execution
    return execution.stdout.decode().strip()


def processes_named(name: str) -> list[int]:
    """Processes of the host that have given themselves that name."""
    return [pid for pid, own, _ in _processes() if own == name]


def servers(of: int) -> list[int]:
    """Sandbox servers that the process ``of`` has started, or the keepers that such a server has."""
    return [pid for pid, _, command in _processes() if "from jail.server import main" in command and _parent(pid) == of]


def alive(pid: int) -> bool:
    """Whether a process is there and not just waiting to be reaped."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    return False


def descriptors() -> int:
    """How many descriptors this process has open, without those of objects that nothing refers to any more."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


def _parent(pid: int) -> int | None:
    """The parent of a process; None where it has ended meanwhile: other tests' servers come and go."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return None


def _processes() -> Iterator[tuple[int, str, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended
                command = (folder / "cmdline").read_bytes().decode(errors="replace")
                yield int(folder.name), (folder / "comm").read_text(encoding="utf-8").strip(), command


async def gone(name: str, others: Iterable[int] = (), within_s: float = 1.0) -> bool:
    """Whether every process of that name, and the others, are gone in time."""
    deadline = asyncio.get_running_loop().time() + within_s
    while processes_named(name) or any(map(alive, others)):
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True
