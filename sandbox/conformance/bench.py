"""What a check has at hand: the sandbox under test, the host it must not reach, and a place for violations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from sandbox.base import Execution, Program, Sandbox, Status, Workspace
from sandbox.conformance.host import Host, end_processes, processes_named
from sandbox.conformance.report import Report
from sandbox.limits import Limits

LIMITS = Limits(
    wall_s=30.0,
    cpu_s=30.0,
    memory_bytes=256 * 2**20,
    output_bytes=2**20,
    disk_bytes=16 * 2**20,
    processes=32,
    compile_s=20.0,
)
"""The limits of every run of the suite, but for what a check changes."""

_PROBES = Path(__file__).parent / "probes"


@cache
def probe(name: str) -> str:
    """The source of a probe: a Python program that says line by line what it should not have seen or done."""
    return (_PROBES / f"{name}.py").read_text(encoding="utf-8")


def limits(**changes: float | None) -> Limits:
    """:data:`LIMITS` with changes."""
    return replace(LIMITS, **changes)  # type: ignore[arg-type]  # by keyword, as the checks write them


@dataclass(slots=True)
class Bench:
    """One per check; ``grace_s`` is how late the end of a run may be told."""

    check: str
    sandbox: Sandbox
    make: Callable[[], Sandbox]
    host: Host
    report: Report
    grace_s: float

    def fault(self, detail: str) -> None:
        """Adds a violation."""
        self.report.add(self.check, detail)

    def expect(self, holds: bool, detail: str) -> None:
        """Adds a violation where something does not hold."""
        if not holds:
            self.fault(detail)

    def expect_status(self, execution: Execution, *allowed: Status, of: str) -> bool:
        """Whether a run ended in one of these ways; a violation otherwise."""
        fits = execution.status in allowed
        self.expect(fits, f"{of}: {brief(execution)}, expected {' or '.join(allowed)}")
        return fits

    def open(
        self,
        source: str,
        *arguments: str,
        limits: Limits = LIMITS,
        files: Mapping[str, bytes] | None = None,
        fetch: tuple[str, ...] = (),
        language: str = "python",
    ) -> AbstractAsyncContextManager[Workspace]:
        """A workspace of the program."""
        program = Program(language, source, arguments=arguments, files=dict(files or {}), fetch=fetch)
        return self.sandbox.open(program, limits)

    async def run(
        self,
        source: str,
        *arguments: str,
        stdin: bytes = b"",
        limits: Limits = LIMITS,
        files: Mapping[str, bytes] | None = None,
        fetch: tuple[str, ...] = (),
        language: str = "python",
    ) -> Execution:
        """One run in a workspace of its own."""
        opened = self.open(source, *arguments, limits=limits, files=files, fetch=fetch, language=language)
        async with opened as workspace:
            return await workspace.run(stdin)

    async def probe(self, name: str, *arguments: str, stdin: bytes = b"", limits: Limits = LIMITS) -> None:
        """Runs a probe that finishes by itself; each line that it writes but the last is a violation."""
        self.heed(await self.run(probe(name), *arguments, stdin=stdin, limits=limits), name)

    def heed(self, execution: Execution, name: str) -> None:
        """Reads what a probe wrote: violations, then ``end``."""
        if not self.expect_status(execution, Status.FINISHED, of=f"probe {name}"):
            return
        *found, end = execution.stdout.decode(errors="replace").splitlines() or [""]
        self.expect(end == "end", f"probe {name} did not come to its end: {brief(execution)}")
        for line in found:
            self.fault(line[:300])

    @property
    def brief_s(self) -> float:
        """A limit that a check waits for, in seconds: a program can begin in it, late as things may be here."""
        return min(5.0, max(1.0, self.grace_s / 2))

    async def until_seen(self, name: str, running: asyncio.Task[Execution], count: int = 1) -> list[int]:
        """The processes of that name as soon as there are so many; fewer where they run on another machine."""
        end_s = asyncio.get_running_loop().time() + self.brief_s
        while len(found := processes_named(name)) < count and not running.done():
            if asyncio.get_running_loop().time() > end_s:
                break
            await asyncio.sleep(0.05)
        return found

    async def expect_gone(self, name: str, of: str) -> None:
        """Adds a violation where processes of that name are left; a signal on its way to them may still arrive."""
        for _ in range(10):
            if not processes_named(name):
                return
            await asyncio.sleep(0.05)
        self.fault(f"{len(processes_named(name))} process(es) are left behind by {of}")
        end_processes(name)

    async def time_run(self, run: Awaitable[Execution]) -> tuple[Execution, float]:
        """A run and how long it took as seen from outside, in seconds, without those that the host kept from it."""
        loop = asyncio.get_running_loop()
        start_s = loop.time()
        execution = await run
        return execution, loop.time() - start_s - execution.usage.held_s


def brief(execution: Execution) -> str:
    """An execution in a line."""
    parts: list[str] = [execution.status]
    if execution.exit_code is not None:
        parts.append(f"exit code {execution.exit_code}")
    if execution.signal is not None:
        parts.append(f"signal {execution.signal}")
    parts.append(f"{execution.usage.wall_s:.2f} s")
    for name, text in (("stdout", execution.stdout), ("stderr", execution.stderr)):
        if text:
            parts.append(f"{name} ...{text[-160:]!r}")
    return ", ".join(parts)
