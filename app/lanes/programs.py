"""The sandbox lane: programs that are run apart from this process, a bounded number at a time.

``judge`` never raises and ends by its deadline. A failure of the sandbox is ours: it is retried once where
there is time, then it is ``error``. So is waiting for a place (``timeout``). A program that was let in at once
and uses up the request's time is ended by the sandbox, as its own doing (:mod:`app.lanes.timed_sandbox`).

Where samples wait, each has a short first turn before any has a long one: programs that hang hold up none of those that
do not. Those that slept in their first turn wait for their end beside the places, as they need no processor.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from time import perf_counter

import structlog

from app.admission.cost import Costs
from app.admission.demand import NONE, Demand
from app.admission.room import Weights, weigh_equally
from app.admission.slots import Slots
from app.kit.durations import Durations
from app.lanes.shutdown import end_now, report_shutdown
from app.lanes.timed_sandbox import SandboxTurn, TimedSandbox, Unfinished
from app.telemetry import tracing
from sandbox.base import Execution, Program, Sandbox, SandboxFailure, Unsupported, run
from sandbox.limits import Limits
from trueward.authoring.verifier import Abstain, Task, Verifier, report_crash, report_exhausting_response
from trueward.wire.verdict import Verdict
from verifiers.sandboxed import SandboxVerifier, report_sandbox_failure, report_unsupported

log = structlog.get_logger(__name__)

_AT_ONCE = 0.1
"""A share of the time allowed: whoever waited less than that for a place was let in at once."""

_TRIES = 2
_RUN_S = 1.0
"""Seconds that a program of a native protocol is thought to run: nothing is known of it."""

_NOTHING = Program("python", "pass")


class Programs:
    """A sandbox with places for ``workers`` samples at once; who waits for one is let in by turns.

    ``asleep``: places beside them for programs that sleep; the sandbox has room for those too. ``failures`` counts
    failures of the sandbox since the start, ``running`` what is being run now; ``waits`` are those for a place.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        workers: int,
        costs: Costs | None = None,
        weights: Weights = weigh_equally,
        asleep: int = 0,
    ) -> None:
        self.sandbox = sandbox
        self.failures = 0
        self.waits = Durations()
        self._places = Slots(workers, weights)
        self._asleep = Slots(asleep, weights) if asleep else None
        self._costs = costs or Costs()
        self._under_way: set[asyncio.Timeout] = set()
        self._stopped = False

    @property
    def running(self) -> int:
        return self._places.running + (self._asleep.running if self._asleep else 0)

    @property
    def waiting(self) -> int:
        return self._places.waiting + (self._asleep.waiting if self._asleep else 0)

    def hanging_s(self, wanted: Iterable[tuple[Verifier, int]]) -> float:
        """Seconds until so many samples of each verifier are known to hang, if all of them do and nothing else runs."""
        hang_s = (count * verifier.limit_s for verifier, count in wanted if isinstance(verifier, SandboxVerifier))
        return sum(hang_s) / self._places.size

    def wait_s(self, project: str | None, seconds: float) -> float:
        """Seconds until a new request's work of so many seconds is begun, all places at work on what is before it."""
        return self._places.turns.ahead_s(project, seconds) / self._places.size

    @property
    def backlog_s(self) -> float:
        """Seconds until what waits is begun, if nothing else comes."""
        return self._places.backlog_s

    def shed(self) -> None:
        """What waits or runs, and whatever comes, gets ``error: shutdown``."""
        self._stopped = True
        end_now(self._under_way)

    @property
    def leaked(self) -> int:
        """Containers that could not be removed; 0 for a sandbox without containers."""
        leaked: int = getattr(self.sandbox, "leaked", 0)
        return leaked

    async def close(self) -> None:
        await self.sandbox.close()

    async def judge(
        self, verifier: Verifier, task: Task, deadline: float, demand: Demand = NONE, *, waited_s: float = 0.0
    ) -> Verdict:
        """The verdict on ``task`` by ``deadline`` (the loop's time). Never raises but CancelledError.

        ``waited_s``: seconds of the caller's time that had passed before, elsewhere.
        """
        verdict = await self._judge(verifier, task, deadline, demand, waited_s)
        verdict.producer = verifier.producer
        return verdict

    async def run(
        self, program: Program, limits: Limits, stdin: bytes, demand: Demand = NONE
    ) -> tuple[Execution | None, Execution]:
        """What the compiler did, if there was one, and what the program did; for a native protocol.

        Raises SandboxFailure (after a second try) or Unsupported.
        """
        async with self._place(self._places, _RUN_S, demand):
            try:
                return await self._run(program, limits, stdin)
            except SandboxFailure as failure:
                self._count(failure)
                return await self._run(program, limits, stdin)

    async def _run(self, program: Program, limits: Limits, stdin: bytes) -> tuple[Execution | None, Execution]:
        with tracing.span("sandbox run"):
            async with self.sandbox.open(program, limits) as workspace:
                return workspace.compiled, await workspace.run(stdin)

    async def probe(self) -> str:
        """That a program can be run, in words. Raises SandboxFailure or Unsupported with the reason."""
        from sandbox.local import LocalSandbox

        if isinstance(self.sandbox, LocalSandbox):
            lacking = [feature for feature in await self.sandbox.features() if not feature.present]
            await run(self.sandbox, _NOTHING, Limits())
            return "; ".join(["local", *(f"without {feature.name}: {feature.detail}" for feature in lacking)])
        await run(self.sandbox, _NOTHING, Limits())
        return self.sandbox.name

    async def _judge(self, verifier: Verifier, task: Task, deadline: float, demand: Demand, waited_s: float) -> Verdict:
        assert isinstance(verifier, SandboxVerifier), "the planner admits no other to this lane"
        now = asyncio.get_running_loop().time
        arrived = now() - waited_s
        limit = asyncio.timeout_at(arrived if self._stopped else deadline)
        self._under_way.add(limit)
        try:
            async with limit:
                return await self._by_turns(verifier, task, deadline, demand, arrived)
        except TimeoutError:
            if self._stopped:
                return report_shutdown()
            return Verdict.timeout("deadline", "the deadline passed before this sample was judged")
        finally:
            self._under_way.discard(limit)

    async def _by_turns(
        self, verifier: SandboxVerifier, task: Task, deadline: float, demand: Demand, arrived: float
    ) -> Verdict:
        now = asyncio.get_running_loop().time
        turn, seconds, used_s = SandboxTurn.FIRST, self._costs.item_s(verifier), 0.0
        while True:
            asleep = self._asleep if turn is SandboxTurn.ASLEEP else None
            places = asleep or self._places
            async with self._place(places, seconds, demand, behind=turn is not SandboxTurn.FIRST):
                await asyncio.sleep(0)  # the others of its request come to wait, and are seen
                started = now()
                waited = started - arrived > _AT_ONCE * (deadline - arrived)
                sandbox = TimedSandbox(
                    self.sandbox,
                    deadline,
                    waited=waited,
                    turn=turn if asleep or turn is SandboxTurn.FIRST else SandboxTurn.LONG,
                    others=lambda places=places: places.waiting > 0,  # type: ignore[misc]
                )
                try:
                    verdict = await self._execute(verifier, task, sandbox)
                except Unfinished as cut:
                    turn, seconds = cut.turn, cut.seconds
                else:
                    verdict.elapsed_s = used_s + now() - started
                    return verdict
                finally:
                    used_s += now() - started

    async def _execute(self, verifier: SandboxVerifier, task: Task, sandbox: Sandbox) -> Verdict:
        last: SandboxFailure | None = None
        for _ in range(_TRIES):
            try:
                with tracing.span("sandbox run", {"trueward.verifier": verifier.name}):
                    return await verifier.execute(task, sandbox)
            except SandboxFailure as failure:
                self._count(failure)
                last = failure
            except Unsupported as refusal:
                return report_unsupported(refusal)
            except Abstain as refusal:
                return Verdict.abstained(refusal.reason_code, refusal.reason)
            except (TimeoutError, Unfinished):
                raise
            except (MemoryError, RecursionError) as exhausted:
                return report_exhausting_response(exhausted)
            except Exception as failure:  # noqa: BLE001 - a bug in a verifier is a null score, never a failed batch
                return report_crash(failure)
        assert last is not None
        return report_sandbox_failure(last)

    def _count(self, failure: SandboxFailure) -> None:
        self.failures += 1
        log.warning("sandbox_failed", error=failure)

    @asynccontextmanager
    async def _place(
        self, places: Slots, seconds: float, demand: Demand, *, behind: bool = False
    ) -> AsyncIterator[None]:
        came = perf_counter()
        async with places.take(seconds, demand, behind=behind):
            self.waits.add(perf_counter() - came)
            yield
