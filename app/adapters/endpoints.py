"""Reward protocols of trainers that cannot name a verifier: ``/t/<recipe>[@<hash>]/<protocol>``.

An adapter parses a foreign payload into samples and renders rewards into the foreign answer; in between
is the one path.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from app.adapters import openrlhf
from app.adapters.assembly import Assembly, Gone, assembles
from app.adapters.means import RunningMeans
from app.keys.admission import admitted
from app.kit.problems import PROBLEMS
from app.metrics import Metrics
from app.route import DirectRoute
from app.scoring.path import Caller, Path
from app.scoring.plan import Plan
from rewards.groups import prompt_group
from trueward.errors import Overloaded, ServiceFailed
from trueward.types import Outcome, Reward, RewardsRequest

direct = APIRouter(route_class=DirectRoute, tags=["trainers"], responses=PROBLEMS)

RunName = Annotated[str | None, Query(min_length=1, max_length=256, description="training run")]


CLIENT_GONE = 499
"""Nobody reads it; it is what the metrics count."""


@direct.post("/t/{recipe}/openrlhf", response_model=openrlhf.Answer)
async def openrlhf_rewards(
    body: openrlhf.Payload, http: Request, recipe: str, run: RunName = None
) -> openrlhf.Answer | Response:
    """OpenRLHF's remote reward model: always a number for each sample, inside the client's deadline.

    Where the recipe prices whole groups, requests wait for the others of their prompt.
    """
    key = await admitted(http, "score")
    path: Path = http.state.path
    samples = openrlhf.parse(body)
    request = RewardsRequest(recipe=recipe, run=run, deadline_s=openrlhf.DEADLINE_S, samples=samples)
    plan = path.planner.plan(recipe)

    async def price(asked: RewardsRequest, apart: bool) -> list[Reward]:
        return await _rewards(path, plan, asked, Caller(owner=key.owner, held=True, apart=apart))

    if assembles(plan.recipe, samples):
        assembly: Assembly = http.state.assembly
        try:
            rewards = await assembly.join(plan.recipe, key.owner, request, price, _disconnected(http))
        except Gone:
            return Response(status_code=CLIENT_GONE)
    else:
        rewards = await price(request, False)
    means: RunningMeans = http.state.means
    scope = (key.owner, recipe, run)
    prompts = [prompt_group(sample) for sample in samples]
    for reward, prompt in zip(rewards, prompts, strict=True):
        if reward.reward is not None:
            means.add(scope, prompt, reward.reward)
    metrics: Metrics = http.state.metrics
    metrics.count_rendered("openrlhf", sum(reward.reward is None for reward in rewards))
    return openrlhf.render(rewards, lambda index: means.instead(scope, prompts[index]))


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
