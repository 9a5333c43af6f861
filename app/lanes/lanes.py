"""Where verifiers run: inline in this process, in the cpu lane's killable workers, in the sandbox or the model lane.

Equal tasks share one check: those judged before come from a cache, those on their way are joined in
flight, on this server or on another (:class:`ChecksElsewhere`). Only verdicts that would come out the same again are
kept (:func:`may_reuse`).
"""

from __future__ import annotations

import asyncio
import pickle
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, Self

from app.admission.admit import Admitted, admit_apart, content_of
from app.admission.cost import Costs, LaneLoad
from app.admission.demand import NONE, Demand
from app.admission.room import Weights, weigh_equally
from app.kit.cache import Cache, estimate_bytes
from app.lanes.blame import Blame
from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from app.lanes.engines import Engines
from app.lanes.flights import Flights
from app.lanes.long_samples import LONGEST, LongSample
from app.lanes.model_source import ModelSource, NoModels
from app.lanes.models import ModelLane
from app.lanes.programs import Programs
from app.lanes.sandboxes import count_sleeping_places, sandbox_of
from app.settings import Settings
from judges.base import BudgetSpent, ModelVerifier
from trueward.authoring.verifier import Abstain, Task, Verifier, report_crash, report_exhausting_response
from trueward.blame import UNJUDGEABLE, is_crash
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from app.lanes.ray.link import RayLink

Pending = Verdict | asyncio.Task[Verdict]
CheckKey = tuple[str, str, str, Task]

_SURELY = 0.5
"""A request is judged by a lane's queue where it brings at least so many samples to it, as expected."""

_TASKS_STAY = ("sandbox", "model")
"""Lanes whose tasks are too large, or too much alive, to come from a worker."""

_LONG_TASK = 4000
"""Bytes of a task that is kept under its sample's name, though others may be equal."""

_VERDICT_BYTES = 3000

_GROUP = 16
"""Verdicts that a group's entry in the cache stands for."""

_UNKEPT_REASONS = frozenset({"resource_limit", "time_limit", "unjudgeable", UNJUDGEABLE})


class Judge(Protocol):
    """Judges one admitted sample: the lanes, or something in front of them for one request."""

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float) -> Pending:
        """The verdict, or a task that ends with it by ``deadline`` (loop time). Never raises."""
        ...


@dataclass(frozen=True, slots=True)
class RequestLanes:
    """The lanes with the demands of one request."""

    lanes: Lanes
    demand: Demand

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float) -> Pending:
        return self.lanes.judge(verifier, admitted, deadline, self.demand)


class ChecksElsewhere(Protocol):
    """The other servers of this service, which may have judged the same, or be about to."""

    async def judge_once(
        self,
        key: CheckKey,
        judge: Callable[[], Awaitable[Verdict]],
        keeps: Callable[[Verdict], bool],
        deadline: float,
    ) -> Verdict:
        """What another server found, or what ``judge`` says; others are waited for until ``deadline`` (loop time)."""
        ...


def may_reuse(verifier: Verifier, verdict: Verdict) -> bool:
    """Whether a verdict may be given again without judging again."""
    if not verifier.deterministic or verdict.outcome.missing or verdict.reason_code in _UNKEPT_REASONS:
        return False
    return not verdict.evidence.get("time_limited")


class Lanes:
    """Judges one admitted sample at a time; what takes time comes back as a task of the event loop.

    An async context manager: the worker processes live as long as the block. ``work_s`` is done by lane, ``judged`` are
    verdicts by lane and outcome, those that were given again left out.
    """

    def __init__(
        self,
        settings: Settings,
        models: ModelSource | None = None,
        elsewhere: ChecksElsewhere | None = None,
        weights: Weights = weigh_equally,
    ) -> None:
        self.costs = Costs()
        self.ray: RayLink | None = None
        away: Collection[str] = ()
        if settings.ray_address:
            # loaded where there is a cluster
            from app.lanes.ray import lanes as cluster

            self.ray, away = cluster.link_of(settings), settings.ray_lanes
        self.pool: Pool
        self.programs: Programs
        if self.ray is not None and "cpu" in away:
            self.pool = cluster.RayPool(self.ray)
        else:
            self.pool = Pool(
                workers=settings.workers,
                limits=Limits(settings.cpu_limit_s, settings.wall_limit_s, settings.worker_memory_bytes),
                recycle_after=settings.worker_recycle_after,
                capacity=settings.worker_capacity,
                costs=self.costs,
                weights=weights,
            )
        if self.ray is not None and "sandbox" in away:
            self.programs = cluster.RayPrograms(self.ray)
        else:
            sandbox, asleep = sandbox_of(settings), count_sleeping_places(settings)
            self.programs = Programs(sandbox, settings.sandbox_workers, self.costs, weights, asleep)
        source = models or NoModels()
        if self.ray is not None and "models" in away:
            self.models = cluster.models_on(self.ray, settings, source, self.programs)
        else:
            self.models = ModelLane(source, Engines(settings), settings.model_cache, self.programs)
        self._verdicts: Cache[CheckKey, Verdict] = Cache(settings.verdict_cache, _bytes_of)
        self._checks: Cache[CheckKey, Verdict] = Cache(settings.check_cache, _bytes_of)
        self.group_verdicts: Cache[str, list[Verdict]] = Cache(
            settings.verdict_cache // _GROUP, lambda verdicts: sum(map(_bytes_of, verdicts))
        )
        self._flights: Flights[CheckKey, Verdict] = Flights()
        self._elsewhere = elsewhere
        self.blame = Blame(self._attempt)
        self._reader = ThreadPoolExecutor(1, "triage")
        self.work_s: defaultdict[str, float] = defaultdict(float)
        self.judged: Counter[tuple[str, str]] = Counter()

    async def __aenter__(self) -> Self:
        if self.ray is not None:
            await self.ray.start()
        await self.pool.start()
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._reader.shutdown(wait=False, cancel_futures=True)
        await self.models.close()
        await self.programs.close()
        await self.pool.stop()
        if self.ray is not None:
            await self.ray.stop()

    def shed(self) -> None:
        """Ends all samples that are not judged yet as ``error: shutdown``."""
        self.pool.shed()
        self.programs.shed()
        self.models.shed()

    def judge(self, verifier: Verifier, admitted: Admitted, deadline: float, demand: Demand = NONE) -> Pending:
        """The verdict, or a task that ends with it by ``deadline`` (loop time). Never raises."""
        if admitted.verdict is not None:
            return admitted.verdict
        producer = verifier.producer
        fingerprint = self.identity(verifier, demand) + admitted.fingerprint
        key = (producer.name, producer.version, producer.params, fingerprint)
        known = self._verdicts.get(key)
        if known is not None:
            self.costs.record_reach(verifier, reached=False)
            return known.model_copy(update={"cached": True})
        if admitted.length > LONGEST:
            return asyncio.ensure_future(self._judge_long(verifier, key, admitted, deadline, demand))
        return self._go_on(verifier, key, admitted, _triage(verifier, admitted.sample), deadline, demand)

    async def _judge_long(
        self, verifier: Verifier, key: CheckKey, admitted: Admitted, deadline: float, demand: Demand
    ) -> Verdict:
        try:
            async with asyncio.timeout_at(deadline):
                found = await self._read_apart(verifier, admitted)
        except TimeoutError:
            return Verdict.timeout("deadline", "the deadline passed before this sample was read")
        pending = self._go_on(verifier, key, admitted, found, deadline, demand)
        return pending if isinstance(pending, Verdict) else await pending

    async def _read_apart(self, verifier: Verifier, admitted: Admitted) -> Verdict | Task:
        """A worker's task, or what triage in a thread found: see :mod:`app.lanes.long_samples`."""
        if verifier.lane in _TASKS_STAY:
            return await asyncio.get_running_loop().run_in_executor(self._reader, _triage, verifier, admitted.sample)
        return LongSample(admitted.content or content_of(admitted.sample))

    def _go_on(
        self,
        verifier: Verifier,
        key: CheckKey,
        admitted: Admitted,
        found: Verdict | Task,
        deadline: float,
        demand: Demand,
    ) -> Pending:
        """Continues with the result of triage: a verdict, or a task for a lane."""
        if isinstance(found, Verdict):
            self.costs.record_reach(verifier, reached=False)
            self._count("inline", found)
            if may_reuse(verifier, found):
                self._verdicts.put(key, found)
            elif found.outcome is Outcome.ERROR and is_crash(found):
                return asyncio.ensure_future(self._settled(verifier, admitted, found, deadline, demand))
            return found
        if not verifier.deterministic:
            self.costs.record_reach(verifier, reached=True)
            return asyncio.ensure_future(self._run(verifier, admitted, found, deadline, demand))
        # a program's task holds its tests, megabytes at times: it is shared and kept by the sample's fingerprint, and
        # so is that of a model's, with what it is asked with, and what is as long as what it was made of
        shared = key[3] if verifier.lane in _TASKS_STAY or _is_long(found, admitted) else found
        return self._check(verifier, (*key[:3], shared), admitted, found, deadline, demand)

    def backlog_s(self, verifiers: Iterable[Verifier]) -> float:
        """Seconds of work that wait for the lane of these verifiers that has most of them, over what works on it."""
        needed = {verifier.lane for verifier in verifiers}
        return max(
            self.pool.backlog_s if "cpu" in needed else 0.0, self.programs.backlog_s if "sandbox" in needed else 0.0
        )

    def estimate_lateness_s(self, wanted: Sequence[tuple[Verifier, int]], project: str | None, left_s: float) -> float:
        """Seconds by which a new request, of so many samples of each verifier, would surely be late if it had
        ``left_s``; 0 where it may be in time."""
        late = 0.0
        lanes: tuple[tuple[str, Pool | Programs], ...] = (("cpu", self.pool), ("sandbox", self.programs))
        for name, lane in lanes:
            load = sum(
                (self.costs.load(verifier, count) for verifier, count in wanted if verifier.lane == name), LaneLoad()
            )
            if load.items >= _SURELY:
                late = max(late, lane.wait_s(project, load.seconds) - left_s)
        return late

    def identity(self, verifier: Verifier, demand: Demand) -> str:
        """What its verdicts depend on beside its parameters and the sample: empty but for one that asks models."""
        return self.models.identity(verifier.models, demand) if isinstance(verifier, ModelVerifier) else ""

    def count_cached(self) -> dict[str, float]:
        """Entries kept in memory, by what they are."""
        return {"verdicts": len(self._verdicts), "checks": len(self._checks), "groups": len(self.group_verdicts)}

    def _count(self, lane: str, verdict: Verdict) -> None:
        self.work_s[lane] += verdict.elapsed_s
        self.judged[lane, verdict.outcome.value] += 1

    async def _run(
        self, verifier: Verifier, admitted: Admitted, task: Task, deadline: float, demand: Demand
    ) -> Verdict:
        verdict = await self._lane(verifier, task).judge(verifier, task, deadline, demand)
        self._count("cpu" if isinstance(task, LongSample) else verifier.lane, verdict)
        self.costs.record_verdict(verifier, verdict)
        return await self._settled(verifier, admitted, verdict, deadline, demand)

    async def _settled(
        self, verifier: Verifier, admitted: Admitted, verdict: Verdict, deadline: float, demand: Demand
    ) -> Verdict:
        """The verdict, with a crash charged to whoever caused it."""
        if not is_crash(verdict):
            return verdict
        settled = await self.blame.settle(verifier, admitted.sample, admitted.fingerprint, verdict, deadline, demand)
        settled.producer = verifier.producer
        return settled

    async def judge_apart(self, verifier: Verifier, sample: Sample, deadline: float, demand: Demand = NONE) -> Verdict:
        """The verdict on a sample that did not come by the one path: nothing is shared or kept. Never raises."""
        verdict = await self._attempt(verifier, sample, deadline, demand)
        return await self._settled(verifier, admit_apart(sample), verdict, deadline, demand)

    async def _attempt(self, verifier: Verifier, sample: Sample, deadline: float, demand: Demand) -> Verdict:
        """Judges a sample anew, without caches and flights."""
        admitted = admit_apart(sample)
        long = admitted.length > LONGEST
        found = await self._read_apart(verifier, admitted) if long else _triage(verifier, admitted.sample)
        if isinstance(found, Verdict):
            return found
        return await self._lane(verifier, found).judge(verifier, found, deadline, demand)

    def _lane(self, verifier: Verifier, task: Task) -> Pool | Programs | ModelLane:
        if isinstance(task, LongSample):
            return self.pool
        if verifier.lane == "model":
            return self.models
        return self.programs if verifier.lane == "sandbox" else self.pool

    def _check(
        self, verifier: Verifier, key: CheckKey, admitted: Admitted, task: Task, deadline: float, demand: Demand
    ) -> Pending:
        known = self._checks.get(key)
        self.costs.record_reach(verifier, reached=known is None)
        if known is not None:
            return known.model_copy(update={"cached": True})
        return asyncio.ensure_future(self._share(verifier, key, admitted, task, deadline, demand))

    async def _share(
        self, verifier: Verifier, key: CheckKey, admitted: Admitted, task: Task, deadline: float, demand: Demand
    ) -> Verdict:
        """Joins the flight of an equal task, or starts one.

        A flight ends by the deadline and the budget of the caller that started it; a caller with more
        left than that starts another.
        """
        while key in self._flights:
            try:
                async with asyncio.timeout_at(deadline):
                    verdict = await self._flights.join(key)
            except TimeoutError:
                return Verdict.timeout("deadline", "the deadline passed before this sample was judged")
            if verdict.outcome is not Outcome.TIMEOUT and verdict.reason_code != BudgetSpent.code:
                return verdict.model_copy(update={"cached": True})
        return await self._flights.start(key, self._judge_and_keep(verifier, key, admitted, task, deadline, demand))

    async def _judge_and_keep(
        self, verifier: Verifier, key: CheckKey, admitted: Admitted, task: Task, deadline: float, demand: Demand
    ) -> Verdict:
        judge = partial(self._run, verifier, admitted, task, deadline, demand)
        if self._elsewhere is None:
            verdict = await judge()
        else:
            verdict = await self._elsewhere.judge_once(key, judge, partial(may_reuse, verifier), deadline)
        if may_reuse(verifier, verdict):
            self._checks.put(key, verdict)
        return verdict


def _bytes_of(verdict: Verdict) -> int:
    """About how many bytes a cached verdict takes, with its key."""
    return _VERDICT_BYTES + len(verdict.reason) + len(verdict.feedback or "") + estimate_bytes(verdict.evidence)


def _is_long(task: Task, admitted: Admitted) -> bool:
    """Whether a task takes so much memory that its name is kept in its place."""
    if isinstance(task, LongSample):
        return True
    return admitted.length > _LONG_TASK and len(pickle.dumps(task, pickle.HIGHEST_PROTOCOL)) > _LONG_TASK


def _triage(verifier: Verifier, sample: Sample) -> Verdict | Task:
    start = perf_counter()
    try:
        found = verifier.triage(sample)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    except (MemoryError, RecursionError) as exhausted:
        return report_exhausting_response(exhausted)
    except Exception as failure:  # noqa: BLE001 - a bug in a verifier never fails a batch; see app.lanes.blame
        return report_crash(failure)
    if isinstance(found, Verdict):
        found.elapsed_s = perf_counter() - start
    return found
