"""A sandbox for one sample of a request that has a deadline: no program may run longer than is left.

So it is the sandbox that ends a slow program, and says that it ran: a program that was let in at once and is
then ended this way has exhausted its time by its own doing, whatever the request allowed. One that had to
wait for a place, through no doing of its own, raises TimeoutError instead; so does a sandbox that is stuck.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from sandbox.base import Execution, Limits, Program, Sandbox, Status, Workspace

_SHARE_KEPT = 0.05
_MOST_KEPT_S = 0.5
_LEAST_S = 0.01


class Hurried:
    """``deadline`` in the loop's time; ``waited``: whether the sample had to wait for a place."""

    def __init__(self, sandbox: Sandbox, deadline: float, *, waited: bool) -> None:
        self.name = sandbox.name
        self._sandbox = sandbox
        self._waited = waited
        left_s = deadline - asyncio.get_running_loop().time()
        self._end = deadline - min(_SHARE_KEPT * left_s, _MOST_KEPT_S)

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[Workspace]:
        compiling = replace(limits, compile_s=min(limits.compile_s, self._left_s()))
        async with self._sandbox.open(program, compiling) as workspace:
            if workspace.compiled is not None:
                self.hold(workspace.compiled, cut=compiling.compile_s < limits.compile_s)
            yield _HurriedWorkspace(self, workspace, limits)

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        allowed, cut = self.allowed(limits)
        done = await self._sandbox.pair(first, second, allowed)
        for execution in done:
            self.hold(execution, cut=cut)
        return done

    async def languages(self) -> dict[str, str]:
        return await self._sandbox.languages()

    async def close(self) -> None:
        """Leaves the sandbox open: others use it."""

    def allowed(self, limits: Limits) -> tuple[Limits, bool]:
        """The limits within the time left, and whether that is less than was asked for."""
        left_s = self._left_s()
        if limits.wall_s <= left_s:
            return limits, False
        return replace(limits, wall_s=left_s), True

    def hold(self, execution: Execution, *, cut: bool) -> Execution:
        """The execution; raises TimeoutError where our own delay may have ended it."""
        if cut and self._waited and execution.status in (Status.TIME_LIMIT, Status.COMPILE_ERROR):
            raise TimeoutError("the deadline passed after the sample had waited for a place")
        return execution

    def _left_s(self) -> float:
        return max(_LEAST_S, self._end - asyncio.get_running_loop().time())


@dataclass(frozen=True, slots=True)
class _HurriedWorkspace:
    hurry: Hurried
    workspace: Workspace
    limits: Limits

    @property
    def compiled(self) -> Execution | None:
        return self.workspace.compiled

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        allowed, cut = self.hurry.allowed(limits or self.limits)
        return self.hurry.hold(await self.workspace.run(stdin, allowed), cut=cut)
