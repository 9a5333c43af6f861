"""A sandbox for one sample of a request that has a deadline, and shares the places of its lane with others.

No program may run longer than is left. So it is the sandbox that ends a slow program, and says that it ran: a program
that was let in at once and is then ended this way has exhausted its time by its own doing, whatever the request
allowed. One that had to wait for a place, through no doing of its own, raises TimeoutError instead; so does a sandbox
that is stuck.

Nor may it run for long while others wait that have not run at all (:class:`SandboxTurn`): it raises :class:`Unfinished`
and starts anew, in another turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import Enum

from sandbox.base import Execution, Program, Sandbox, Status, Workspace
from sandbox.limits import Limits

_SHARE_KEPT = 0.05
_MOST_KEPT_S = 0.5
_LEAST_S = 0.01

_RUN_S, _RUNS_S, _COMPILE_S = 0.25, 1.0, 2.0
"""The first turn, where others wait: seconds of one run, of all runs together, and of a compiler."""

_USUAL_S = 30.0
"""A request that has less time than that has turns that are shorter by as much."""

_ASLEEP = 0.25
"""A program sleeps that uses less of a processor than this share of its time."""

ASLEEP_BYTES = 512 * 2**20
"""A program that may take more memory does not wait among those that sleep."""

_NEAR = 0.9

_LATE = "the deadline passed after the sample had waited for a place"


class SandboxTurn(Enum):
    """``FIRST``: everybody's, and a short one where others wait. ``LONG``: with all the time that the limits give,
    after the first turns of all others. ``ASLEEP``: the same for a program that slept in its first turn, beside those
    at work."""

    FIRST = "first"
    LONG = "long"
    ASLEEP = "asleep"


class Unfinished(Exception):
    """A program is to start anew in ``turn``, for which it may need ``seconds``."""

    def __init__(self, turn: SandboxTurn, seconds: float) -> None:
        super().__init__(f"not finished in its turn; next: {turn.value}")
        self.turn = turn
        self.seconds = seconds


def assume_alone() -> bool:
    return False


class TimedSandbox:
    """``deadline`` in the loop's time; ``waited``: whether the sample had to wait for a place; ``others``: whether
    somebody does now. ``used_s``: what its programs ran, of their own time."""

    def __init__(
        self,
        sandbox: Sandbox,
        deadline: float,
        *,
        waited: bool,
        turn: SandboxTurn = SandboxTurn.FIRST,
        others: Callable[[], bool] = assume_alone,
    ) -> None:
        self.name = sandbox.name
        self.used_s = 0.0
        self._sandbox = sandbox
        self._waited = waited
        self._turn = turn
        self._others = others
        left_s = deadline - asyncio.get_running_loop().time()
        self._end = deadline - min(_SHARE_KEPT * left_s, _MOST_KEPT_S)
        self._short = max(0.0, min(1.0, left_s / _USUAL_S))

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[Workspace]:
        left_s = self._left_s()
        first = self._turn is SandboxTurn.FIRST and self._others()
        allowed_s = min(limits.compile_s, left_s, self._short * _COMPILE_S if first else left_s)
        async with self._sandbox.open(program, replace(limits, compile_s=allowed_s)) as workspace:
            if workspace.compiled is not None and allowed_s < limits.compile_s:
                self._hold_compiler(workspace.compiled, allowed_s, left_s, limits)
            yield _HurriedWorkspace(self, workspace, limits)

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        in_turn, allowed, cut = self.cut_limits(limits)
        done = await self._sandbox.pair(first, second, in_turn)
        self.hold(done, in_turn, allowed, cut=cut)
        return done

    async def languages(self) -> dict[str, str]:
        return await self._sandbox.languages()

    async def close(self) -> None:
        """Leaves the sandbox open: others use it."""

    def spares(self, seconds: float) -> bool:
        """See :func:`sandbox.base.spares`."""
        return not self._others() and seconds <= self._left_s()

    def cut_limits(self, limits: Limits) -> tuple[Limits, Limits, bool]:
        """The limits within this turn, those within the time left, and whether that is less than was asked for.

        Raises :class:`Unfinished` where the turn is over.
        """
        left_s = self._left_s()
        cut = limits.wall_s > left_s
        allowed = replace(limits, wall_s=left_s) if cut else limits
        if self._turn is SandboxTurn.ASLEEP:
            return replace(allowed, cpu_s=min(allowed.cpu_s, _ASLEEP * allowed.wall_s)), allowed, cut
        if self._turn is SandboxTurn.LONG or not self._others():
            return allowed, allowed, cut
        turn_s = self._short * _RUNS_S - self.used_s
        if turn_s <= 0:
            raise Unfinished(SandboxTurn.LONG, limits.wall_s)
        return replace(allowed, wall_s=min(allowed.wall_s, self._short * _RUN_S, turn_s)), allowed, cut

    def hold(self, done: Sequence[Execution], in_turn: Limits, allowed: Limits, *, cut: bool) -> None:
        """Raises what there is to say in place of what programs did that ran together.

        :class:`Unfinished` where the end of the turn may have ended them, TimeoutError where our own delay may have.
        """
        wall_s, cpu_s = max(one.usage.wall_s for one in done), sum(one.usage.cpu_s for one in done)
        self.used_s += wall_s
        ended = {one.status for one in done}
        if cut and self._waited and Status.COMPILE_ERROR in ended:
            raise TimeoutError(_LATE)
        if Status.TIME_LIMIT not in ended:
            return
        if in_turn.wall_s < allowed.wall_s:
            # a sandbox that tells no seconds of a processor tells nothing of sleep
            sleeps = 0 < cpu_s < _ASLEEP * wall_s and allowed.memory_bytes <= ASLEEP_BYTES
            raise Unfinished(SandboxTurn.ASLEEP if sleeps else SandboxTurn.LONG, allowed.wall_s)
        if in_turn.cpu_s < allowed.cpu_s and cpu_s >= _NEAR * in_turn.cpu_s:
            raise Unfinished(SandboxTurn.LONG, allowed.wall_s)
        if cut and self._waited:
            raise TimeoutError(_LATE)

    def _hold_compiler(self, done: Execution, allowed_s: float, left_s: float, limits: Limits) -> None:
        """The same for a compiler, which says less of its end: it may have been the time unless it was quicker."""
        quicker = 0 < done.usage.wall_s < _NEAR * allowed_s
        if done.status is not Status.COMPILE_ERROR or quicker:
            return
        if allowed_s < min(limits.compile_s, left_s):
            raise Unfinished(SandboxTurn.LONG, limits.compile_s)
        if self._waited:
            raise TimeoutError(_LATE)

    def _left_s(self) -> float:
        return max(_LEAST_S, self._end - asyncio.get_running_loop().time())


@dataclass(frozen=True, slots=True)
class _HurriedWorkspace:
    hurry: TimedSandbox
    workspace: Workspace
    limits: Limits

    @property
    def compiled(self) -> Execution | None:
        return self.workspace.compiled

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        in_turn, allowed, cut = self.hurry.cut_limits(limits or self.limits)
        done = await self.workspace.run(stdin, in_turn)
        self.hurry.hold((done,), in_turn, allowed, cut=cut)
        return done
