"""The one path of a sample, from an admitted request to a recorded answer.

``admit -> plan -> fingerprint -> cache and flight -> lanes -> verdicts -> rewards -> ledger``. Every
endpoint, adapter and job goes through :class:`Path`; there is no second way to a reward. A sample that
could not be recorded has no reward: it answers ``error: ledger_unavailable``.

Not here: authentication (``app.keys``), what a foreign protocol looks like (``app.protocols``).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from app.admission.admit import Admitted, admit_paced
from app.admission.budget.charge import Purse
from app.admission.demand import NONE, Demand
from app.admission.gate import AdmissionGate, NoQuotas, Quotas
from app.admission.limits import RETRY_AFTER_S
from app.admission.loop_queue import JOB_SAMPLE_BYTES, LoopQueue
from app.admission.room import Room, Weights, weigh_equally
from app.kit.pace import LoopPace
from app.kit.tokens import derive_ids, new_id, new_ids
from app.lanes.lanes import Judge, Lanes, RequestLanes
from app.lanes.spans import trace_judge
from app.path.batch import RequestBatch, Wanted
from app.path.caller import Caller
from app.path.follow_up import FollowUp, PricedRequest
from app.path.groups import OpenGroups
from app.path.judging import Row, collect_verdicts, count_due, iter_ready, judge_sample
from app.path.ledger import LedgerUnavailable
from app.path.plan import Planner, RecipePlan, expand_verifiers, stamp_verdict
from app.path.polls import Polls
from app.path.record_failure import UNAVAILABLE, WAITED, LossReason, missing_reward, missing_verdict
from app.path.rows import Entry, Records, RequestContext
from app.settings import Settings
from app.telemetry import tracing
from app.telemetry.metrics import Metrics
from rewards.conditions import Conditions
from rewards.course import Course
from rewards.price import WHEN_APART, Member
from rewards.recipe import Recipe
from trueward.authoring.verifier import Verifier
from trueward.errors import DeadlinePassed, Overloaded, Unavailable
from trueward.wire.reward import Group, Reward
from trueward.wire.sample import Sample, group_names
from trueward.wire.scoring import RewardsRequest, RewardsResponse, ScoringRequest, VerifyRequest
from trueward.wire.verdict import Verdict
from verifiers.grouped import GroupVerifier

_RECORD_S = 2.0
_RECORD_SHARE = 0.25
"""Of a request's time so much is kept for recording what was judged, and what was not in time."""


def seconds_to_judge(allowed_s: float) -> float:
    """The part of a request's time that is for waiting and judging. The rest is kept for recording."""
    return allowed_s - min(_RECORD_S, _RECORD_SHARE * allowed_s)


@dataclass(frozen=True, slots=True)
class FinalRewards:
    """Rewards that are final, with their index in the request, and the groups complete by them."""

    rewards: list[tuple[int, Reward]]
    groups: list[Group]


class Pins(Protocol):
    """Checks a request against the pins of its run. Raises the error that the request is refused with."""

    async def admit(
        self,
        name: str | None,
        verifiers: Sequence[Verifier],
        recipe: Recipe | None,
        deadline: float,
        project: str | None,
    ) -> None: ...

    async def note_models(self, name: str, entries: Sequence[Entry]) -> None: ...


class RunKnowledge(Protocol):
    """Reads what is known of a run beside its pins."""

    async def conditions(self, request: RewardsRequest, recipe: Recipe, groups: Sequence[str]) -> Conditions:
        """What the rewards of a request depend on; groups by name. Raises Unavailable."""
        ...


class Purses(Protocol):
    """Finds the budget that pays for questions to models."""

    def purse(self, recipe: Recipe, run: str | None, owner: str | None) -> Purse | None: ...


class Path:
    def __init__(
        self,
        settings: Settings,
        planner: Planner,
        lanes: Lanes,
        ledger: Records,
        runs: Pins,
        metrics: Metrics,
        memory: RunKnowledge,
        follow_up: FollowUp,
        purses: Purses,
        quotas: Quotas | None = None,
        weights: Weights = weigh_equally,
        pace: LoopPace | None = None,
    ) -> None:
        self.planner = planner
        self.pace = pace or LoopPace()
        self.room = Room(settings.max_waiting_samples, weights)
        self.line = LoopQueue(weights)
        self.gate = AdmissionGate(self.room, quotas or NoQuotas())
        self._settings = settings
        self._lanes = lanes
        self._ledger = ledger
        self._runs = runs
        self._metrics = metrics
        self._memory = memory
        self._follow_up = follow_up
        self._purses = purses

    def shed(self) -> None:
        """Ends all samples that are not judged yet as ``error: shutdown``, and lets no more in."""
        self.room.shut()
        self._lanes.shed()

    async def judge_apart(self, verifier: Verifier, sample: Sample, deadline: float, demand: Demand = NONE) -> Verdict:
        """The verdict by ``deadline`` (loop time), for a native protocol: nothing is recorded."""
        return await self._lanes.judge_apart(verifier, sample, deadline, demand)

    async def verify(self, request: VerifyRequest, caller: Caller) -> list[Verdict]:
        """Judges and records each sample. Returns one verdict a sample, in order."""
        verifier = self.planner.verifier(request.verifier, request.params)
        with tracing.span("admit"):
            batch = await self._enter(
                request,
                request.samples,
                caller,
                expand_verifiers([verifier]),
                None,
                lambda items: [(verifier, len(items))],
            )
        names = group_names([item.sample for item in batch.admitted]) if isinstance(verifier, GroupVerifier) else None
        asked = RequestLanes(self._lanes, batch.demand)
        judge: Judge = asked if names is None else Polls(asked, batch.admitted, names, self.pace)
        async with self._entered(batch):
            with trace_judge(judge) as lanes:
                self._metrics.count_samples(caller.protocol, len(batch.admitted))
                rows: list[Row] = []
                for item in batch.admitted:
                    await self.pace.turn()
                    rows.append({"": lanes.judge(verifier, item, batch.judge_by)})
                async for _ in iter_ready(rows, caller.turn, in_waves=False):
                    pass
            verdicts = []
            for item, record, row in zip(batch.admitted, batch.records, rows, strict=True):
                verdict = collect_verdicts(row)[""]
                await self.pace.turn()
                verdicts.append(stamp_verdict(verdict, item.sample, record, verifier))
            entries = [
                Entry(item.sample, item.fingerprint, item.content, [verdict], position=position)
                for position, (item, verdict) in enumerate(zip(batch.admitted, verdicts, strict=True))
            ]
            positions, lost = await self._record(batch, entries)
            for position in positions:
                verdicts[position] = missing_verdict(verdicts[position], lost)
        self._metrics.count_verdicts(verdicts, request.run)
        return verdicts

    async def rewards(self, request: RewardsRequest, caller: Caller, plan: RecipePlan | None = None) -> RewardsResponse:
        """Returns one reward a sample, in order, and a summary of each group. ``plan``: if it is made already."""
        plan = plan or self.planner.plan(request.recipe)
        rewards: dict[int, Reward] = {}
        groups: list[Group] = []
        async for settled in self.stream(plan, request, caller, in_waves=False):
            rewards.update(settled.rewards)
            groups.extend(settled.groups)
        ordered = [rewards[index] for index in range(len(rewards))]
        return RewardsResponse(rewards=ordered, groups=groups, recipe=plan.recipe.hash)

    async def score(
        self,
        request: VerifyRequest | RewardsRequest,
        samples: list[Sample],
        records: list[str],
        *,
        owner: str | None,
        project: str | None,
    ) -> None:
        """Scores a chunk of a job under the records that were fixed for it; raises :class:`LedgerUnavailable`."""
        deadline_s = request.deadline_s or self._settings.max_deadline_s
        chunk = request.model_copy(update={"samples": samples, "deadline_s": deadline_s})
        async with self.line.behind("jobs", JOB_SAMPLE_BYTES * len(samples)) as turn:
            caller = Caller(owner, project, True, True, records, protocol="jobs", turn=turn)
            await (self.verify(chunk, caller) if isinstance(chunk, VerifyRequest) else self.rewards(chunk, caller))

    async def stream(
        self, plan: RecipePlan, request: RewardsRequest, caller: Caller, *, in_waves: bool = True
    ) -> AsyncGenerator[FinalRewards, None]:
        """Rewards as they become final, groups as they become complete; all at once where not ``in_waves``."""
        with tracing.span("admit"):
            if request.split == "train" and plan.asks_models:
                self.planner.refuse_failed(plan)
            samples, verifiers = plan.samples_to_judge(request.samples), plan.all_verifiers
            batch = await self._enter(request, samples, caller, verifiers, plan, lambda items: count_due(plan, items))
        admitted = [item.sample for item in batch.admitted]
        names, courses = group_names(admitted), list(map(plan.recipe.course_of, admitted))
        known = await self._load_conditions(batch, request, plan, names)
        formulas = {**plan.recipe.formulas, **WHEN_APART} if caller.apart else plan.recipe.formulas
        conditions = replace(known, rates=plan.rates, grouped=not caller.apart, formulas=formulas)
        batch.context = replace(batch.context, conditions=conditions)
        groups = OpenGroups(plan.recipe, names, conditions)
        members: dict[int, Member] = {}
        asked = RequestLanes(self._lanes, batch.demand)
        judge: Judge = asked
        if plan.recipe.judges_groups:
            judge = Polls(asked, batch.admitted, names, self.pace, apart=caller.apart)
        async with self._entered(batch):
            with trace_judge(judge) as lanes:
                self._metrics.count_samples(caller.protocol, len(batch.admitted))
                rows = []
                for item, course in zip(batch.admitted, courses, strict=True):
                    await self.pace.turn()
                    rows.append(judge_sample(plan, lanes, item, course, batch.judge_by, conditions))
                async for indices in iter_ready(rows, caller.turn, in_waves=in_waves):
                    final: list[tuple[int, Reward]] = []
                    for index in indices:
                        said = collect_verdicts(rows[index])
                        await self.pace.turn()
                        members[index] = self._price(plan, batch, index, courses[index], said)
                        final += groups.add(index, members[index])
                    recorded = await self._record_rewards(plan, batch, final, members)
                    yield FinalRewards(recorded, groups.close(recorded))
        priced = PricedRequest(
            plan,
            batch.context,
            batch.admitted,
            batch.records,
            groups.list_whole_groups(),
            batch.record_by,
            batch.demand,
        )
        await self._follow_up.take(priced)

    async def _load_conditions(
        self, batch: RequestBatch, request: RewardsRequest, plan: RecipePlan, names: Sequence[str]
    ) -> Conditions:
        try:
            async with asyncio.timeout_at(batch.judge_by):
                return await self._memory.conditions(request, plan.recipe, names)
        except TimeoutError:
            raise Unavailable(
                "the database did not say before the deadline what is known of this run; nothing was scored: "
                "send it again",
                retry_after_s=1.0,
            ) from None

    def _price(
        self, plan: RecipePlan, batch: RequestBatch, index: int, course: Course | None, said: Mapping[str, Verdict]
    ) -> Member:
        """The sample with its verdicts and its own reward, all under its record."""
        sample, record = batch.admitted[index].sample, batch.records[index]
        verdicts = plan.stamp(course, sample, record, said)
        return Member.of(plan.recipe, course, sample, verdicts, batch.context.conditions, record)

    async def _enter(
        self,
        request: ScoringRequest,
        samples: Sequence[Sample],
        caller: Caller,
        verifiers: Sequence[Verifier],
        plan: RecipePlan | None,
        want: Callable[[Sequence[Admitted]], Wanted],
    ) -> RequestBatch:
        admitted = await admit_paced(samples, self._settings, self.pace)
        wanted = partial(want, admitted)
        allowed_s = request.deadline_s or self._settings.deadline_s
        if request.deadline_s is None and any(verifier.lane == "sandbox" for verifier in verifiers):
            # programs that hang take their time, and none is given up for it
            allowed_s += self._lanes.programs.hanging_s(wanted())
        if request.deadline_s is None and any(verifier.lane == "model" for verifier in verifiers):
            allowed_s += await self._model_time_s(caller, wanted())
        allowed_s = min(allowed_s, self._settings.max_deadline_s)
        now = asyncio.get_running_loop().time()
        record_by = (now if caller.arrived is None else caller.arrived) + allowed_s
        judge_by = record_by - allowed_s + seconds_to_judge(allowed_s)
        if judge_by <= now:
            self.gate.refused[DeadlinePassed.code] += len(admitted)
            raise DeadlinePassed(
                f"its {allowed_s:g} s had passed before its turn came; nothing was judged: send it again, with a "
                "longer deadline_s where this repeats",
                retry_after_s=RETRY_AFTER_S,
            )
        await self._runs.admit(request.run, verifiers, plan.recipe if plan else None, judge_by, caller.project)
        context = RequestContext(
            run=request.run,
            step=request.step,
            policy=request.policy,
            split=request.split,
            owner=caller.owner,
            verifiers=verifiers,
            request=new_id(),
        )
        purse = None
        if plan is not None and plan.asks_models:
            purse = self._purses.purse(plan.recipe, request.run, caller.owner)
        demand = Demand(context.request or "", request.min_weights or {}, purse, caller.project)
        records = caller.records
        if records is None:
            seed, count = caller.record_seed, len(admitted)
            records = new_ids(count) if seed is None else derive_ids(seed, count)
        return RequestBatch(admitted, records, context, judge_by, record_by, caller, wanted, demand)

    async def _model_time_s(self, caller: Caller, wanted: Wanted) -> float:
        """Seconds that the models of a batch need to reply, and the seconds that it took to load them just now."""
        models = self._lanes.models
        if caller.turn is not None:
            caller.turn.pause()
        loaded_s = await models.load_models([verifier for verifier, _ in wanted], self._settings.max_deadline_s)
        if caller.turn is not None:
            caller.turn.resume()
        return loaded_s + models.judging_s(wanted)

    def _entered(self, batch: RequestBatch) -> AbstractAsyncContextManager[None]:
        """Lets the batch in. Raises :class:`Overloaded` if it would surely be late and its caller does not wait."""
        caller, count = batch.caller, len(batch.admitted)
        if caller.held and caller.turn is not None and self.room.waiting:
            caller.turn.pause()  # it will wait for room
        left_s = batch.judge_by - asyncio.get_running_loop().time()
        if not caller.held and self._lanes.backlog_s(batch.context.verifiers) > left_s:
            late_s = self._lanes.estimate_lateness_s(batch.wanted(), caller.project, left_s)
            if late_s > 0:
                self.gate.refused[Overloaded.code] += count
                raise Overloaded(
                    f"what waits before it would take {late_s:.0f} s longer than its deadline allows: send it again in "
                    f"{math.ceil(late_s)} s, or with a longer deadline_s",
                    retry_after_s=math.ceil(late_s),
                )
        cost_s = 0.0
        if caller.owner is not None:  # who has no key has no quota
            cost_s = self._lanes.costs.estimate_cost_s([(one, count) for one in batch.context.verifiers])
        hold_until = batch.judge_by if caller.held else None
        return self.gate.enter(caller.owner, caller.project, count, cost_s, hold_until=hold_until, bill=caller.bill)

    async def _record_rewards(
        self, plan: RecipePlan, batch: RequestBatch, final: Sequence[tuple[int, Reward]], members: Mapping[int, Member]
    ) -> list[tuple[int, Reward]]:
        entries = []
        for index, reward in final:
            item, verdicts = batch.admitted[index], members[index].verdicts
            entries.append(
                Entry(
                    item.sample,
                    item.fingerprint,
                    item.content,
                    verdicts=list(verdicts.values()),
                    reward=reward,
                    position=index,
                    keys=list(verdicts),
                )
            )
        positions, lost = await self._record(batch, entries, plan)
        said: list[Verdict] = []
        rewards: list[Reward] = []
        indices: list[int] = []
        for position, (entry, (index, reward)) in enumerate(zip(entries, final, strict=True)):
            is_lost = position in positions
            said += [missing_verdict(verdict, lost) for verdict in entry.verdicts] if is_lost else entry.verdicts
            rewards.append(missing_reward(reward, lost) if is_lost else reward)
            indices.append(index)
        self._metrics.count_rewards(rewards, plan.recipe.name)
        self._metrics.count_verdicts(said, batch.context.run)
        return list(zip(indices, rewards, strict=True))

    async def _record(
        self, batch: RequestBatch, entries: Sequence[Entry], plan: RecipePlan | None = None
    ) -> tuple[frozenset[int], LossReason]:
        """Records the entries. Returns the positions of those that may be lost, normally none, and why."""
        try:
            with tracing.span("ledger"):
                await self._ledger.write(entries, batch.context, batch.record_by, plan.recipe if plan else None)
                run = batch.context.run
                if run and any("asked" in verdict.evidence for entry in entries for verdict in entry.verdicts):
                    await self._runs.note_models(run, entries)
        except LedgerUnavailable as unavailable:
            if batch.caller.durable:
                raise
            return unavailable.lost, WAITED if unavailable.waited else UNAVAILABLE
        return frozenset(), UNAVAILABLE
