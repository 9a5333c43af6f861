"""What every reward protocol does between its ``parse`` and its ``render``: the one path, held rather than refused.

A missing score stays missing in the reward; :attr:`Served.numbers` are what a protocol without null carries
(:mod:`app.protocols.trainers.stand_in`). Each number that stands in is counted.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fastapi import Request

from app.admission.loop_queue import LoopTurn
from app.kit.tokens import new_id
from app.path.caller import Caller
from app.path.path import Path
from app.path.plan import RecipePlan
from app.protocols.trainers.assembly import Assembly
from app.protocols.trainers.stand_in import StandIns
from app.telemetry.metrics import Metrics
from rewards.recipe import Recipe
from trueward.errors import InvalidRecipe, Overloaded, ServiceFailed
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, group_names
from trueward.wire.scoring import Gather, RewardsRequest
from trueward.wire.verdict import Outcome

_SENDING_S, _SENDING_SHARE = 1.0, 0.1
"""Of a call's time so much is kept for the answer to travel, where a member waits for its siblings."""


@dataclass(frozen=True, slots=True)
class CallTerms:
    """``deadline_s`` is less than its client waits; ``single``: it sends the members of a group one by one, and else a
    request is taken for one group.

    ``held``: its client does not survive a refusal, so that a request waits, and what cannot be is a missing score.
    ``at_once``: calls that its client can have under way.
    """

    name: str
    deadline_s: float
    single: bool = True
    held: bool = True
    at_once: int = 64


@dataclass(frozen=True, slots=True)
class Served:
    """The rewards of a request's samples, in order, and the numbers of a protocol that has no null."""

    rewards: list[Reward]
    numbers: list[float]


async def serve(
    http: Request, protocol: CallTerms, recipe: str, run: str | None, samples: list[Sample], size: int | None = None
) -> Served:
    """Serves a trainer's protocol; ``size`` is how many samples it draws for a prompt, where it says so.

    Raises :class:`app.http.route.ClientGone` where the client went away meanwhile, and what no retry can
    mend (an unknown recipe, a bad key); everything else is a missing score.
    """
    gather = Gather(size=size, at_once=protocol.at_once)
    request = RewardsRequest(recipe=recipe, run=run, deadline_s=protocol.deadline_s, samples=samples, gather=gather)
    path: Path = http.state.path
    return await gather_rewards(http, protocol, request, path.planner.plan(recipe))


async def gather_rewards(
    http: Request,
    protocol: CallTerms,
    request: RewardsRequest,
    plan: RecipePlan,
    records: Sequence[str] | None = None,
) -> Served:
    """Rewards and numbers of a request whose groups come in several requests; ``records`` are fixed by its key.

    Where the recipe prices whole groups, requests wait for the others of their prompt.
    """
    path: Path = http.state.path
    caller: Caller = http.state.caller
    standing: StandIns = http.state.standing
    arrived = caller.arrived
    turn: LoopTurn = http.state.turn
    samples = request.samples
    deadline_s = request.deadline_s or protocol.deadline_s
    began = asyncio.get_running_loop().time() if arrived is None else arrived
    gather = request.gather or Gather()
    size = gather.size or plan.recipe.group.size
    scope = (caller.owner, plan.recipe.hash, request.run)
    names = group_names(samples) if protocol.single else [new_id()] * len(samples)
    seats = [
        standing.enter(
            scope,
            name,
            _content(sample),
            at_once=gather.at_once,
            record=None if records is None else records[index],
            size=size if protocol.single else len(samples),
        )
        for index, (sample, name) in enumerate(zip(samples, names, strict=True))
    ]

    async def price(asked: RewardsRequest, apart: bool, fixed: Sequence[str]) -> list[Reward]:
        asks = replace(caller, held=protocol.held, protocol=protocol.name, apart=apart, records=fixed, arrived=arrived)
        return await rewards_of(path, plan, asked, asks)

    try:
        taken = [seat.record for seat in seats]
        if seats and all(seat.reward is not None for seat in seats):
            rewards = [seat.reward for seat in seats if seat.reward is not None]
        elif protocol.single and _must_assemble(plan.recipe, names, size):
            # it waits for others, whose turns are to come, and its time is divided by the assembly
            turn.leave()
            arrived = None
            assembly: Assembly = http.state.assembly
            rewards = await assembly.join(
                plan.recipe, caller.owner, request, taken, price, _disconnected(http), size=size
            )
        else:
            rewards = await price(request, False, taken)
        missing = sum(reward.reward is None for reward in rewards)
        if missing:
            turn.leave()  # it waits for its siblings, whose turns are to come
        until = began + deadline_s - min(_SENDING_S, _SENDING_SHARE * deadline_s)
        numbers = await standing.numbers(seats, rewards, until)
    finally:
        standing.leave(seats)
    if missing:
        metrics: Metrics = http.state.metrics
        metrics.count_rendered(protocol.name, missing)
    return Served(rewards, numbers)


def _must_assemble(recipe: Recipe, groups: Sequence[str], size: int | None) -> bool:
    """Whether samples of these groups have to wait for others, ``size`` being that of a group.

    Raises :class:`InvalidRecipe` where they would have to and nobody says how many there are.
    """
    if not groups or not (recipe.needs_group or recipe.group.rules):
        return False
    sizes = Counter(groups).values()
    if size is not None:
        return min(sizes) < size
    if min(sizes) > 1:
        return False
    detail = (
        f"recipe {recipe.name!r} prices a sample together with its group, and this protocol sends samples one by one: "
        "say `group: {size: ..., wait_s: ...}` in the recipe or ?group_size= in the URL to have requests wait for each "
        "other, or take a recipe without group shaping, group rules and group verifiers"
    )
    raise InvalidRecipe.at_field("recipe.group.size", "needs_group", detail)


def _content(sample: Sample) -> bytes:
    """A hash by which a repeated call is recognised."""
    return hashlib.blake2b(sample.model_dump_json(exclude_unset=True).encode(errors="replace"), digest_size=16).digest()


async def _disconnected(request: Request) -> None:
    """Returns when the client has gone; its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def rewards_of(path: Path, plan: RecipePlan, request: RewardsRequest, caller: Caller) -> list[Reward]:
    """Rewards; for a client that must not be refused, no room or no database until the deadline is a missing score."""
    try:
        return (await path.rewards(request, caller, plan)).rewards
    except ServiceFailed as failure:
        if not caller.held:
            raise
        components = dict.fromkeys(plan.recipe.components)
        return [
            Reward(
                id=sample.id,
                outcome=Outcome.TIMEOUT if isinstance(failure, Overloaded) else Outcome.ERROR,
                components=dict(components),
                reason_code=failure.code,
                reason=failure.detail,
            )
            for sample in request.samples
        ]
