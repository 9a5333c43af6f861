"""POST /v1/rewards, whole or streamed, and the recipes at hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from app.http.route import DirectRoute
from app.kit.problems import PROBLEMS
from app.kit.tokens import derive_ids
from app.path.caller import Caller
from app.path.path import Path
from app.path.plan import RecipePlan
from app.protocols.trainers.serving import CallTerms, gather_rewards
from app.rewards.examples import REWARDS
from app.settings import Settings
from trueward.wire.reward import End, EndOfStream, GroupLine, RewardLine
from trueward.wire.scoring import RewardsRequest, RewardsResponse

NDJSON = "application/x-ndjson"
direct = APIRouter(route_class=DirectRoute, tags=["scoring"], responses=PROBLEMS)


@direct.post("/v1/rewards", response_model=RewardsResponse, openapi_extra=REWARDS)
async def rewards(body: RewardsRequest, request: Request) -> RewardsResponse | Response:
    """Prices each sample with a recipe.

    With ``Accept: application/x-ndjson`` lines are sent as they are ready: ``{"reward": ...}``,
    ``{"group": ...}`` when a group is complete, and ``{"end": ...}`` last; without an end line the answer
    was cut off. With ``gather`` the answer is whole: the members of a group come in requests of their own, and what
    is missing has a ``stand_in``.
    """
    path: Path = request.state.path
    if body.gather is not None:
        return await _gathered(request, body)
    caller: Caller = request.state.caller
    if NDJSON not in request.headers.get("accept", ""):
        return await path.rewards(body, caller)
    plan = path.planner.plan(body.recipe)
    lines = _lines(path, plan, body, caller)
    first = await anext(lines)
    return StreamingResponse(_with_first(first, lines), media_type=NDJSON)


async def _gathered(request: Request, body: RewardsRequest) -> RewardsResponse:
    """The rewards, and what stands in for those that are missing; groups are in nobody's request as a whole."""
    path: Path = request.state.path
    settings: Settings = request.state.settings
    plan = path.planner.plan(body.recipe)
    protocol = CallTerms("native", settings.deadline_s, held=False)
    seed = request.state.caller.record_seed
    records = None if seed is None else derive_ids(seed, len(body.samples))
    served = await gather_rewards(request, protocol, body, plan, records)
    rewards = [
        reward.model_copy(update={"stand_in": number}) if reward.reward is None else reward
        for reward, number in zip(served.rewards, served.numbers, strict=True)
    ]
    return RewardsResponse(rewards=rewards, groups=[], recipe=plan.recipe.hash)


async def _lines(path: Path, plan: RecipePlan, body: RewardsRequest, caller: Caller) -> AsyncIterator[str]:
    count = 0
    async with aclosing(path.stream(plan, body, caller)) as stream:
        async for settled in stream:
            count += len(settled.rewards)
            lines = [RewardLine(reward=reward).model_dump_json() for _, reward in settled.rewards]
            lines += [GroupLine(group=group).model_dump_json() for group in settled.groups]
            yield "".join(line + "\n" for line in lines)
    yield End(end=EndOfStream(recipe=plan.recipe.hash, count=count)).model_dump_json() + "\n"


async def _with_first(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    """The first line is made before the status is sent, so that a refusal can still be one."""
    yield first
    async for line in rest:
        yield line
