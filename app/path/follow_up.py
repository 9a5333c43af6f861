"""What is done with a request after its rewards are out: shadows are judged and recorded, the run learns, and probes
of judges are judged.

Shadow terms and appeals that only measure are nobody's to wait for. A run whose recipe learns gets its next state
once they are there, so that what they said counts; without any it learns before the request is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from app.admission.admit import Admitted
from app.admission.demand import NONE, Demand
from app.kit.db import is_outage
from app.lanes.lanes import Judge, Lanes, RequestLanes
from app.path.ledger import LedgerUnavailable
from app.path.plan import RecipePlan
from app.path.polls import Polls
from app.path.rows import Entry, Records, RequestContext
from app.telemetry.metrics import Metrics
from rewards.judging import due
from rewards.learning import GroupOf, learn
from rewards.price import Member
from rewards.state import State
from trueward.wire.sample import group_names
from trueward.wire.verdict import Verdict

log = structlog.get_logger(__name__)

_DRAIN_S = 5.0
_MOST_CHORES = 1000
"""Requests whose shadows or probes may be on their way; of further ones they are left out."""


@dataclass(frozen=True, slots=True)
class PricedRequest:
    """A request whose rewards are recorded: its samples in order, and its complete groups.

    ``deadline`` (loop time) is when it is answered, whether its run has learned or not.
    """

    plan: RecipePlan
    context: RequestContext
    admitted: Sequence[Admitted]
    records: Sequence[str]
    groups: Sequence[GroupOf]
    deadline: float | None = None
    demand: Demand = NONE


class Learner(Protocol):
    """Where the state of runs and the success rates of prompts are kept."""

    async def learn(self, run: str, request: str | None, next_state: Callable[[State], State]) -> None:
        """Stores what ``next_state`` makes of the state that is there; nothing where that is the same value.

        The state is stored with the ``request`` that it was learned from.
        """
        ...

    def note(self, run: str, groups: Sequence[GroupOf]) -> None:
        """Success rates of prompts, to be stored soon."""
        ...


class JudgeProbes(Protocol):
    """Who tries judges with hostile responses beside those of live requests."""

    def start_probes(self, priced: PricedRequest, lanes: Judge, allowed_s: float) -> Coroutine[None, None, None] | None:
        """What is to be done for a request, within ``allowed_s`` seconds; None where nothing is."""
        ...


class FollowUp:
    """``allowed_s`` seconds for the shadows of a request. Closing waits a moment for what is on its way."""

    def __init__(
        self,
        lanes: Lanes,
        ledger: Records,
        learner: Learner,
        metrics: Metrics,
        allowed_s: float,
        probes: JudgeProbes | None = None,
    ) -> None:
        self._lanes = lanes
        self._probes = probes
        self._ledger = ledger
        self._learner = learner
        self._metrics = metrics
        self._allowed_s = allowed_s
        self._chores: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        if self._chores:
            await asyncio.wait(self._chores, timeout=_DRAIN_S)
        for chore in self._chores:
            chore.cancel()

    async def take(self, priced: PricedRequest) -> None:
        """Lets the run learn, and starts shadows and probes. Does not wait for shadows, nor for learning from them."""
        if priced.context.run is not None and priced.context.split == "train":
            self._learner.note(priced.context.run, priced.groups)
        asked = RequestLanes(self._lanes, priced.demand)
        probing = self._probes.start_probes(priced, asked, self._allowed_s) if self._probes is not None else None
        crowded = len(self._chores) >= _MOST_CHORES
        if probing is not None and not crowded:
            self._spawn(probing)
        elif probing is not None:
            probing.close()
        if self._shadowed(priced) and crowded:
            log.warning("shadows are left out: those of too many requests wait", run=priced.context.run)
            await self._learn(priced, priced.groups)
        elif self._shadowed(priced):
            self._spawn(self._with_shadows(priced))
        else:
            await self._learn(priced, priced.groups)

    def _shadowed(self, priced: PricedRequest) -> bool:
        return any(one.shadow for one in priced.plan.verifiers)

    async def _with_shadows(self, priced: PricedRequest) -> None:
        deadline = asyncio.get_running_loop().time() + self._allowed_s
        by_record = dict(zip(priced.records, priced.admitted, strict=True))
        names = group_names([item.sample for item in priced.admitted])
        asked = RequestLanes(self._lanes, priced.demand)
        lanes: Judge = asked
        if priced.plan.recipe.judges_groups:
            lanes = Polls(asked, priced.admitted, names, apart=not priced.context.conditions.grouped)
        groups = []
        for name, members, settled in priced.groups:
            told = await asyncio.gather(
                *(
                    self._shadow(priced, lanes, member, by_record[member.reward.record or ""], deadline)
                    for member in members
                )
            )
            groups.append((name, told, settled))
        await self._learn(replace(priced, deadline=None), groups)

    async def _shadow(
        self, priced: PricedRequest, lanes: Judge, member: Member, item: Admitted, deadline: float
    ) -> Member:
        """The member with the verdicts of its shadow terms, which are recorded."""
        course = priced.plan.recipe.course_of(member.sample)
        if course is None:
            return member
        said = dict(member.verdicts)
        while wanted := [one for one in due(course, member.sample, said, priced.context.conditions) if one.shadow]:
            for one in wanted:
                pending = lanes.judge(priced.plan.verifiers[one], item, deadline)
                said[one.key] = pending if isinstance(pending, Verdict) else await pending
        made = {key: verdict for key, verdict in said.items() if key not in member.verdicts}
        new = list(priced.plan.stamp(course, member.sample, member.reward.record or "", made).values())
        if new:
            await self._record(priced, item, new, deadline)
        return replace(member, verdicts=said)

    async def _record(self, priced: PricedRequest, item: Admitted, new: Sequence[Verdict], deadline: float) -> None:
        entry = Entry(item.sample, item.fingerprint, item.content, new)
        try:
            await self._ledger.write([entry], priced.context, deadline, None)
        except LedgerUnavailable as failure:
            log.warning("a shadow's verdict was not recorded", run=priced.context.run, error=str(failure))
        self._metrics.count_verdicts(new, priced.context.run)

    async def _learn(self, priced: PricedRequest, groups: Sequence[GroupOf]) -> None:
        context, recipe = priced.context, priced.plan.recipe
        if context.run is None or context.split != "train" or not recipe.learns:
            return

        def next_state(state: State) -> State:
            return learn(recipe, groups, replace(context.conditions, state=state))

        try:
            async with asyncio.timeout_at(priced.deadline):
                await self._learner.learn(context.run, context.request, next_state)
        except Exception as failure:  # the rewards are recorded: nothing may take their answer away now
            self._metrics.not_learned.inc()
            bug = None if is_outage(failure) else failure
            log.error("the run did not learn from a request", run=context.run, error=failure, exc_info=bug)

    def _spawn(self, chore: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
