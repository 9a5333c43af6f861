"""What the doctor says of a run: a page of its own, which the run's page shows at its top."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from app.doctor.retrial import Asker
from app.pages.visit import Visit, visitor
from app.state import DoctorDep, RunsDep

router = APIRouter(prefix="/ui", include_in_schema=False)


@router.get("/doctor")
async def show_diagnosis(
    visit: Annotated[Visit, Depends(visitor("view"))],
    runs: RunsDep,
    doctor: DoctorDep,
    run: Annotated[str, Query(max_length=256)],
) -> Response:
    """What is wrong with the run's set-up, the most costly first."""
    await runs.show(run)
    asker = Asker(visit.principal.owner, visit.principal.project)
    return visit.show("runs/doctor.html", await doctor.examine(run, asker))
