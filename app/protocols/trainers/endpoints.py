"""Reward protocols of trainers that cannot name a verifier: ``/t/<recipe>[@<hash>]/<protocol>``.

An adapter parses a foreign payload into samples and renders rewards into the foreign answer; in between
is the one path.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from app.http.route import BodyRoute, DirectRoute
from app.idempotency.service import Idempotency
from app.jobs.service import JobsService
from app.keys.admission import Principal, Scorer
from app.kit.problems import PROBLEMS
from app.kit.tokens import moment_of
from app.path.caller import Caller
from app.path.path import Path
from app.protocols.trainers import eval_protocol, llama_factory, nemo_gym, openrlhf, roll, slime
from app.protocols.trainers.contract import PROTOCOLS, TrainerProtocol
from app.protocols.trainers.serving import CallTerms, rewards_of, serve
from app.protocols.trainers.stand_in import StandIns
from app.protocols.trainers.template_text import Opener
from app.replicas.record_state import make_reward_reader
from app.telemetry.metrics import Metrics
from trueward.errors import NotFound
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

_SHARED = frozenset({"run", "group_size"})


class TrainerRoute(DirectRoute):
    """For clients that may go away while their sample waits for its group, and that are not refused."""

    held_s = 50.0
    shared = _SHARED


class RollRoute(TrainerRoute):
    """For a client that gives a call up after 20 s: what had no turn by then is stored, and judged as a job."""

    held_s = roll.HELD_S


class BesideRoute(BodyRoute):
    """For what a trainer asks beside the rewards."""

    shared = _SHARED


direct = APIRouter(route_class=TrainerRoute, tags=["trainers"], responses=PROBLEMS)
of_roll = APIRouter(route_class=RollRoute, tags=["trainers"], responses=PROBLEMS)
router = APIRouter(route_class=BesideRoute, tags=["trainers"], responses=PROBLEMS)

RunName = Annotated[str | None, Query(min_length=1, max_length=256, description="training run")]
GroupSize = Annotated[
    int | None, Query(ge=1, le=4096, description="samples that the trainer draws for a prompt; default: `group.size`")
]


@direct.post("/t/{recipe}/openrlhf", response_model=openrlhf.OpenRlhfAnswer)
async def openrlhf_rewards(
    body: openrlhf.OpenRlhfPayload, http: Request, recipe: str, run: RunName = None, group_size: GroupSize = None
) -> openrlhf.OpenRlhfAnswer:
    """OpenRLHF's remote reward model: always a number for each sample, inside the client's deadline.

    Where the recipe prices whole groups, requests wait for the others of their prompt.
    """
    served = await serve(http, openrlhf.PROTOCOL, recipe, run, openrlhf.parse(body), group_size)
    return openrlhf.render(served.rewards, served.numbers)


@direct.post("/t/{recipe}/slime", response_model=float)
async def slime_reward(
    body: slime.SlimePayload, http: Request, recipe: str, run: RunName = None, group_size: GroupSize = None
) -> Response:
    """slime's remote reward model: the answer's body is the reward, a number whatever happens."""
    served = await serve(http, slime.PROTOCOL, recipe, run, slime.parse(body), group_size)
    return JSONResponse(served.numbers[0])


@direct.post("/t/{recipe}/slime/object", response_model=slime.SlimeScores)
async def slime_scores(
    body: slime.SlimePayload, http: Request, recipe: str, run: RunName = None, group_size: GroupSize = None
) -> slime.SlimeScores:
    """The same as an object, for `--reward-key score` and `--eval-reward-key acc`."""
    served = await serve(http, slime.PROTOCOL, recipe, run, slime.parse(body), group_size)
    return slime.render(served.rewards[0], served.numbers[0])


@direct.post("/t/{recipe}/llamafactory", response_model=llama_factory.LlamaFactoryAnswer)
async def llama_factory_scores(
    body: llama_factory.LlamaFactoryPayload,
    http: Request,
    recipe: str,
    run: RunName = None,
    opener: Annotated[Opener, Query(description="opener of the assistant after which the response begins")] = "first",
) -> llama_factory.LlamaFactoryAnswer:
    """LLaMA-Factory's reward API: a number for each text, in order."""
    served = await serve(http, llama_factory.PROTOCOL, recipe, run, llama_factory.parse(body, opener))
    return llama_factory.render(body, served.numbers)


@direct.post("/t/{recipe}/eval-protocol/evaluate", response_model=eval_protocol.EvalProtocolAnswer)
async def eval_protocol_score(
    body: eval_protocol.EvalProtocolPayload,
    http: Request,
    recipe: str,
    run: RunName = None,
    group_size: GroupSize = None,
) -> eval_protocol.EvalProtocolAnswer:
    """eval-protocol's remote reward function: a missing score is not valid, and a number all the same."""
    served = await serve(http, eval_protocol.PROTOCOL, recipe, run, eval_protocol.parse(body), group_size)
    return eval_protocol.render(served.rewards[0], served.numbers[0])


@direct.post("/t/{recipe}/nemo-gym/verify")
async def nemo_gym_verify(
    body: nemo_gym.NemoGymPayload,
    http: Request,
    recipe: str,
    run: RunName = None,
    group_size: GroupSize = None,
    reference: Annotated[str | None, Query(max_length=256, description="field of the row, with dots between")] = None,
) -> Response:
    """NeMo Gym's resources server: the rollout again, with its reward; a missing score is a failure of Gym's kind."""
    served = await serve(http, nemo_gym.PROTOCOL, recipe, run, nemo_gym.parse(body, reference), group_size)
    return JSONResponse(nemo_gym.render(body, served.rewards[0], served.numbers[0]))


@router.post("/t/{recipe}/nemo-gym/seed_session")
async def nemo_gym_session(recipe: str, key: Scorer) -> dict[str, str]:
    """There is nothing to seed: a verdict depends on its rollout alone."""
    return {}


@router.get("/t/{recipe}/nemo-gym/reverify_mode")
async def nemo_gym_reverify_mode(recipe: str, key: Scorer) -> Literal["stateless"]:
    """A rollout can be verified again whenever one likes."""
    return "stateless"


@router.post("/t/{recipe}/nemo-gym/aggregate_metrics")
async def nemo_gym_metrics(body: nemo_gym.NemoGymResults, recipe: str, key: Scorer) -> nemo_gym.NemoGymAggregate:
    """Means over the results of a run, those that failed left out."""
    return nemo_gym.aggregate(body)


@of_roll.post("/t/{recipe}/roll/submit", response_model=roll.RollSubmitted)
async def roll_submit(
    body: roll.RollSubmit, http: Request, recipe: str, run: RunName = None
) -> roll.RollSubmitted | Response:
    """ROLL's remote reward system: takes a sample, and judges it, or stores it, before it answers."""
    key: Principal = http.state.principal
    path: Path = http.state.path
    request = roll.request_of(body, recipe, run)
    plan = path.planner.plan(recipe)
    scope, name = f"{key.owner or ''} {http.url.path}", roll.key_of(body, request)
    group = roll.group_of(request)

    async def stored() -> roll.RollSubmitted:
        jobs: JobsService = http.state.jobs
        stream = _once(request.model_dump_json(exclude_unset=True))
        job = await jobs.accept(stream, lines=False, owner=key.owner, idempotency=(scope, name))
        return roll.RollSubmitted(reward_request_id=str(roll.Ticket(job.id, group)))

    async def judged() -> Response:
        # the ticket's key has fixed the record, after the request's turn began
        caller: Caller = replace(http.state.caller, held=True, protocol=roll.NAME, record_seed=http.state.record_seed)
        asked = request.model_copy(update={"deadline_s": roll.HELD_S})
        (reward,) = await rewards_of(path, plan, asked, caller)
        if reward.record is None or reward.outcome is Outcome.TIMEOUT:
            return _json(await stored())
        ticket = roll.Ticket(reward.record, group, is_record=True)
        return _json(roll.RollSubmitted(reward_request_id=str(ticket)))

    if any(verifier.lane in ("model", "sandbox") for verifier in plan.all_verifiers):
        return await stored()
    idempotency: Idempotency = http.state.idempotency
    return await idempotency.answer(f"{scope} judged", name, await http.body(), http, judged)


@of_roll.get("/t/{recipe}/roll/result", response_model=roll.RollResult)
@of_roll.post("/t/{recipe}/roll/result", operation_id="roll_result_by_post", response_model=roll.RollResult)
async def roll_result(
    body: roll.RollPoll, http: Request, recipe: str, run: RunName = None, group_size: GroupSize = None
) -> roll.RollResult:
    """What became of a sample that was submitted; `errcode` 1 while it is under way. ROLL asks by GET, with a body.

    The answer comes as late as it may, for ROLL asks again only after two seconds.
    """
    key: Principal = http.state.principal
    standing: StandIns = http.state.standing
    http.state.turn.leave()
    ticket = roll.Ticket.read(body.reward_request_id)
    scope = (key.owner, recipe, run)
    seat = standing.enter(scope, ticket.group, ticket.of, at_once=roll.AT_ONCE, record=ticket.of, size=group_size)
    arrived = http.state.caller.arrived
    since = asyncio.get_running_loop().time() if arrived is None else arrived
    try:
        async with asyncio.timeout_at(since + roll.HELD_S):
            reward, began, ended = await _read_ticket(http, key, ticket)
            left_s = roll.LONGEST_S - (datetime.now(UTC) - began).total_seconds()
            (number,) = await standing.numbers([seat], [reward], asyncio.get_running_loop().time() + left_s)
    except TimeoutError:
        return roll.RollResult(errcode=roll.RUNNING)
    finally:
        standing.leave([seat])
    metrics: Metrics = http.state.metrics
    metrics.count_rendered(roll.NAME, int(reward.reward is None))
    return roll.render(reward, number, began, ended)


async def _read_ticket(http: Request, key: Principal, ticket: roll.Ticket) -> tuple[Reward, datetime, datetime]:
    """The reward of a ticket, and when it was begun and made, once it is there."""
    if ticket.is_record:
        reward = await make_reward_reader(key.sight.of(http.state.db))(ticket.of)
        if reward is None:
            raise NotFound(f"there is no record {ticket.of[:100]!r}")
        began = moment_of(ticket.of)
        return reward, began, began
    jobs: JobsService = http.state.jobs
    job = await jobs.wait_ended(await jobs.show(ticket.of, key.owner))
    told = [line async for page in jobs.results(job) for line in page.splitlines()]
    if told:
        return Reward.model_validate_json(told[0]), job.created_at, job.updated_at
    lost = Reward(outcome=Outcome.ERROR, components={}, reason_code="job_failed", reason=job.error or "")
    return lost, job.created_at, job.updated_at


def _json(made: roll.RollSubmitted) -> Response:
    return Response(made.model_dump_json(), media_type="application/json")


async def _once(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


def _speaking(name: str, spoken: TrainerProtocol) -> Callable[..., Awaitable[Response]]:
    """The endpoint of a plug-in's protocol."""
    protocol = CallTerms(name, spoken.deadline_s, single=spoken.single, held=spoken.held)

    async def answer(
        body: Any, http: Request, recipe: str, run: RunName = None, group_size: GroupSize = None
    ) -> Response:
        served = await serve(http, protocol, recipe, run, spoken.parse(body), group_size)
        return JSONResponse(spoken.render(body, served.rewards, served.numbers))

    answer.__annotations__["body"] = spoken.payload
    answer.__name__ = f"{name.replace('-', '_')}_rewards"
    answer.__doc__ = f"The protocol {name} of a plug-in."
    return answer


for _name, _spoken in PROTOCOLS.load_all().items():
    direct.post(f"/t/{{recipe}}/{_name}")(_speaking(_name, _spoken))
