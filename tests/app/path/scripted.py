"""A sandbox that does what a test says: how long each run takes, and which of them fail."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sandbox.base import Execution, Program, SandboxFailure, Status, Unsupported, Usage
from sandbox.limits import Limits


@dataclass
class ScriptedSandbox:
    """Each run takes ``run_s`` seconds, or is ended at its limit; the first ``failures`` runs fail on our side.

    Programs with ``hangs`` in their text never end, and use ``hanging_cpu`` of their time on a processor. ``stuck``: a
    run never comes to its limit, because the sandbox itself hangs.
    """

    run_s: float = 0.0
    failures: int = 0
    stuck: bool = False
    supported: bool = True
    hanging_cpu: float = 1.0
    name: str = "scripted"
    allowed_s: list[float] = field(default_factory=list)

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[ScriptedWorkspace]:
        if not self.supported:
            raise Unsupported("nothing is supported here")
        yield ScriptedWorkspace(self, program, limits)

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        done = await self.execute(second, limits)
        return done, done

    async def languages(self) -> dict[str, str]:
        return {"python": ""}

    async def close(self) -> None:
        return None

    async def execute(self, program: Program, limits: Limits) -> Execution:
        self.allowed_s.append(limits.wall_s)
        if self.failures:
            self.failures -= 1
            raise SandboxFailure("the jail did not start")
        hangs = "hangs" in program.source
        run_s = math.inf if hangs else self.run_s
        wall_s = min(run_s, limits.wall_s)
        await asyncio.sleep(3600 if self.stuck else wall_s)
        status = Status.TIME_LIMIT if run_s > limits.wall_s else Status.FINISHED
        return Execution(status, Usage(wall_s * self.hanging_cpu * hangs, wall_s, 0), 0, stdout=b"3\n")


@dataclass
class ScriptedWorkspace:
    sandbox: ScriptedSandbox
    program: Program
    limits: Limits
    compiled: Execution | None = None

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        return await self.sandbox.execute(self.program, limits or self.limits)
