"""Scores for the command line: through a service, or with the server's code in this process. One plan for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from trueward.commands.server import Server, load_server
from trueward.commands.service import connect
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.reward import Reward
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Verdict

if TYPE_CHECKING:
    from trueward.client.call import Call
    from trueward.client.plan import CallPlan, Context, Progress

A = TypeVar("A")
R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)
_CHUNK_SAMPLES = 1024


@dataclass(frozen=True)
class Scoring:
    """What scores: a verifier with its parameters, or a recipe; the seconds that it may take, and the run that a
    service records it under."""

    verifier: str | None
    recipe: str | None
    params: Mapping[str, JsonValue]
    deadline_s: float | None
    run: str | None = None


def score(
    samples: Sequence[Mapping[str, JsonValue]], scoring: Scoring, url: str | None, progress: Progress
) -> Sequence[Verdict | Reward]:
    """Verdicts or rewards, in order; in this process where no service is named."""
    from trueward.client.chunk import Limits
    from trueward.client.plan import reward_plan, verify_plan

    limits = Limits(_CHUNK_SAMPLES)
    context: Context = {} if scoring.run is None else {"run": scoring.run}
    if scoring.verifier is not None:
        return _carry_out(
            verify_plan(samples, scoring.verifier, scoring.params, context, limits), scoring.deadline_s, url, progress
        )
    assert scoring.recipe is not None
    plan = reward_plan(samples, scoring.recipe, context, limits)
    return _carry_out(plan, scoring.deadline_s, url, progress).rewards


def _carry_out(plan: CallPlan[A, R], deadline_s: float | None, url: str | None, progress: Progress) -> R:
    if url is not None:
        with connect(url) as client:
            return client.carry_out(plan, deadline_s, progress)
    server = load_server()
    answers: list[A] = []
    done, total = 0, sum(call.size for call in plan.calls)
    for call in plan.calls:
        answers.append(call.read(_answer(server, call, deadline_s)))
        done += call.size
        progress(done, total)
    return plan.combine(answers)


def _answer(server: Server, call: Call[A], deadline_s: float | None) -> bytes:
    """What the service would answer to the call; the deadline holds for each."""
    body = b"".join(call.body(deadline_s))
    answer: BaseModel
    if call.path == "/v1/verify":
        answer = server.verify(_parsed(VerifyRequest, body))
    else:
        answer = server.rewards(_parsed(RewardsRequest, body))
    return answer.model_dump_json().encode()


def _parsed(kind: type[M], body: bytes) -> M:
    try:
        return kind.model_validate_json(body)
    except ValidationError as refusal:
        fields = [
            FieldProblem(field=".".join(map(str, item["loc"])), code=item["type"], detail=item["msg"])
            for item in refusal.errors(include_url=False, include_input=False)[:20]
        ]
        raise InvalidRequest("the request is not one that can be scored", errors=fields) from refusal
