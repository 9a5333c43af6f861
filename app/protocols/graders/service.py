"""OpenAI's graders, run and validated by the one path; what the protocol says is ``app.protocols.graders.openai``.

They are refused in OpenAI's words, for OpenAI's client is to read them. The paths that begin with ``/openai`` are
Azure's.
"""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request

from app.http.route import TurnRoute
from app.keys.admission import Scorer
from app.path.caller import Caller
from app.protocols.graders import openai as openai_graders
from app.protocols.model_servers.endpoints import ERRORS
from app.protocols.model_servers.route import NativeRoute
from app.state import MetricsDep, PathDep


class GraderRoute(NativeRoute, TurnRoute):
    """A request waits for its turn, as OpenAI's client expects no refusal."""

    held_s = 50.0


router = APIRouter(route_class=GraderRoute, tags=["trainers"], responses=ERRORS)


@router.post("/v1/fine_tuning/alpha/graders/run")
@router.post("/openai/v1/fine_tuning/alpha/graders/run", operation_id="run_azure_grader")
async def run_grader(
    body: openai_graders.GraderRun, request: Request, path: PathDep, metrics: MetricsDep, key: Scorer
) -> openai_graders.GraderAnswer:
    """OpenAI's: a grader on one sample. The request is held while there is no room."""
    caller: Caller = replace(request.state.caller, held=True, protocol="openai_graders")
    [verdict] = await path.verify(openai_graders.parse(body), caller)
    metrics.count_rendered("openai_graders", int(verdict.outcome.missing))
    return openai_graders.render(body.grader, verdict)


@router.post("/v1/fine_tuning/alpha/graders/validate")
@router.post("/openai/v1/fine_tuning/alpha/graders/validate", operation_id="validate_azure_grader")
async def validate_grader(
    body: openai_graders.GraderToValidate, path: PathDep, key: Scorer
) -> openai_graders.ValidatedGrader:
    """OpenAI's: the grader again, where it can be used here; else 400 says what is wrong with it."""
    path.planner.verifier(openai_graders.VERIFIER, {"grader": body.grader})
    return openai_graders.ValidatedGrader(grader=body.grader)
