"""The list of runs, and a run's page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from app.pages.runs.listing import Asked, Order, SortKey, listed
from app.pages.runs.service import shown
from app.pages.visit import Visit, visitor
from app.state import DatabaseDep, FreezesDep, RunsDep, WatchesDep

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Name = Annotated[str, Query(max_length=256)]
NamedRun = Annotated[str, Query(alias="id", max_length=256)]


@router.get("/runs")
async def list_runs(
    visit: Viewing,
    db: DatabaseDep,
    freezes: FreezesDep,
    name: Name = "",
    audits: bool = False,
    sort: SortKey = "began",
    order: Order = "descending",
    after: Annotated[str | None, Query(max_length=256)] = None,
) -> Response:
    """Fifty a page. ``name`` is what the ids hold; the runs of audits are listed apart, with ``audits=true``."""
    asked = Asked(name, audits, sort, order, after)
    return visit.show("runs/list.html", await listed(db, asked, await freezes.frozen(visit.principal.sight)))


@router.get("/run")
async def run_by_id(visit: Viewing, db: DatabaseDep, runs: RunsDep, watches: WatchesDep, name: NamedRun) -> Response:
    """A run whose id is no part of a path."""
    return visit.show("runs/run.html", await shown(db, runs, watches, name))


@router.get("/runs/{run:path}")
async def show_run(run: str, visit: Viewing, db: DatabaseDep, runs: RunsDep, watches: WatchesDep) -> Response:
    """What the run has pinned, how its rewards went, its marks and alarms."""
    return visit.show("runs/run.html", await shown(db, runs, watches, run))
