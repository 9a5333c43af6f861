"""What every reward protocol does between its ``parse`` and its ``render``: the one path, held rather than refused.

A missing score stays missing in the reward; :meth:`Served.number` is what stands in for it where a protocol can carry
numbers only: the mean reward of its prompt so far, else of the run, else 0. Each such number is counted.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from fastapi import Request

from app.adapters.assembly import Assembly, assembles
from app.adapters.means import RunningMeans
from app.keys.admission import admitted
from app.line import Turn
from app.metrics import Metrics
from app.route import arrival_of
from app.scoring.caller import Caller
from app.scoring.path import Path
from app.scoring.plan import Plan
from rewards.groups import prompt_group
from trueward.errors import Overloaded, ServiceFailed
from trueward.types import Outcome, Reward, RewardsRequest, Sample


@dataclass(frozen=True, slots=True)
class Protocol:
    """``deadline_s`` is less than its client waits; ``single``: it sends the members of a group one by one."""

    name: str
    deadline_s: float
    single: bool = True


@dataclass(frozen=True, slots=True)
class Served:
    """The rewards of a request's samples, in order."""

    rewards: list[Reward]
    _prompts: list[str]
    _means: RunningMeans
    _scope: Hashable

    def number(self, index: int) -> float:
        """The reward of a sample, or what stands in for it."""
        reward = self.rewards[index].reward
        return self._means.instead(self._scope, self._prompts[index]) if reward is None else reward

    @property
    def numbers(self) -> list[float]:
        return [self.number(index) for index in range(len(self.rewards))]


async def serve(http: Request, protocol: Protocol, recipe: str, run: str | None, samples: list[Sample]) -> Served:
    """Where the recipe prices whole groups, requests wait for the others of their prompt.

    Raises :class:`app.adapters.assembly.Gone` where the client went away meanwhile, and what no retry can mend (an
    unknown recipe, a bad key); everything else is a missing score.
    """
    key = await admitted(http, "score")
    path: Path = http.state.path
    request = RewardsRequest(recipe=recipe, run=run, deadline_s=protocol.deadline_s, samples=samples)
    plan = path.planner.plan(recipe)
    arrived = arrival_of(http)
    turn: Turn = http.state.turn

    async def price(asked: RewardsRequest, apart: bool, records: Sequence[str] | None = None) -> list[Reward]:
        asks = Caller(owner=key.owner, project=key.project, held=True, protocol=protocol.name)
        caller = replace(asks, apart=apart, records=records, arrived=arrived, turn=turn)
        return await _rewards(path, plan, asked, caller)

    if protocol.single and assembles(plan.recipe, samples):
        # it waits for others, whose turns are to come, and its time is divided by the assembly
        turn.leave()
        arrived = None
        assembly: Assembly = http.state.assembly
        rewards = await assembly.join(plan.recipe, key.owner, request, price, _disconnected(http))
    else:
        rewards = await price(request, False)
    means: RunningMeans = http.state.means
    scope = (key.owner, recipe, run)
    prompts = [prompt_group(sample) for sample in samples]
    for reward, prompt in zip(rewards, prompts, strict=True):
        if reward.reward is not None:
            means.add(scope, prompt, reward.reward)
    metrics: Metrics = http.state.metrics
    metrics.count_rendered(protocol.name, sum(reward.reward is None for reward in rewards))
    return Served(rewards, prompts, means, scope)


def standing_in(http: Request, protocol: str, scope: Hashable, prompt: str, reward: Reward) -> float:
    """The number of one reward that did not come by :func:`serve`: it counts for its scope and stands in likewise."""
    means: RunningMeans = http.state.means
    metrics: Metrics = http.state.metrics
    metrics.count_rendered(protocol, int(reward.reward is None))
    if reward.reward is None:
        return means.instead(scope, prompt)
    means.add(scope, prompt, reward.reward)
    return reward.reward


async def _disconnected(request: Request) -> None:
    """Returns when the client has gone; its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _rewards(path: Path, plan: Plan, request: RewardsRequest, caller: Caller) -> list[Reward]:
    """Rewards for a client that must not be refused: no room or no database until the deadline is a missing score."""
    try:
        return (await path.rewards(request, caller, plan)).rewards
    except ServiceFailed as failure:
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
