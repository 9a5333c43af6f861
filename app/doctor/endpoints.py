"""What the doctor says of a run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.doctor.retrial import Asker
from app.doctor.service import LIMIT
from app.http.route import BodyRoute
from app.keys.admission import Viewer
from app.kit.problems import PROBLEMS
from app.state import DoctorDep, RunsDep
from trueward.wire.diagnosis import RunDiagnosis

router = APIRouter(prefix="/v1", route_class=BodyRoute, tags=["runs"], responses=PROBLEMS)


@router.get("/runs/{run:path}/doctor")
async def examine_run(
    run: str,
    runs: RunsDep,
    doctor: DoctorDep,
    key: Viewer,
    limit: Annotated[int, Query(ge=16, le=10_000, description="records that are read, the newest")] = LIMIT,
) -> RunDiagnosis:
    """What is wrong with the run's set-up, by its newest records, the most costly first, and what to change."""
    await runs.show(run)
    return await doctor.examine(run, Asker(key.owner, key.project), limit)
