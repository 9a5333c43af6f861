"""POST /v1/select: one of several candidates for a prompt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request

from app.http.route import TurnRoute
from app.keys.admission import Scorer
from app.kit.problems import PROBLEMS
from app.path.caller import Caller
from app.select.service import Selecting
from app.state import PathDep, SettingsDep
from trueward.wire.selection import Selection, SelectRequest

BODY: dict[str, Any] = {
    "method": "majority",
    "verifier": "math",
    "candidates": [
        {"id": "a", "prompt": "1/2?", "response": r"\boxed{0.5}"},
        {"id": "b", "prompt": "1/2?", "response": r"\boxed{2}"},
        {"id": "c", "prompt": "1/2?", "response": r"so \boxed{\frac12}"},
    ],
}

SELECT: dict[str, Any] = {
    "requestBody": {"content": {"application/json": {"examples": {"majority": {"value": BODY}}}}},
}
"""What the OpenAPI document shows."""

router = APIRouter(route_class=TurnRoute, tags=["scoring"], responses=PROBLEMS)


@router.post("/v1/select", openapi_extra=SELECT)
async def select(body: SelectRequest, request: Request, path: PathDep, settings: SettingsDep, key: Scorer) -> Selection:
    """Chooses a candidate: the best score, the majority's answer, or the answer with the highest sum of scores.

    Answers are equivalent where the verifier says so, not where their text is the same.
    """
    # it goes the path more than once, and each time needs ids of its own
    caller: Caller = replace(request.state.caller, record_seed=None)
    return await Selecting(path, body, caller, settings.deadline_s).select()
