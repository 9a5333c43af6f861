"""The list of runs, and a run's page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from app.pages.runs.listing import Order, RunListQuery, SortKey, view_runs
from app.pages.runs.service import AskedRun, view_run
from app.pages.visit import Visit, visitor
from app.state import AuditsDep, DatabaseDep, FreezesDep, RunsDep, WatchesDep

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Name = Annotated[str, Query(max_length=256)]
NamedRun = Annotated[str, Query(alias="id", max_length=256)]
Since = Annotated[int | None, Query(ge=0, le=2**53)]
Beside = Annotated[str, Query(max_length=256)]


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
    asked = RunListQuery(name, audits, sort, order, after)
    return visit.show("runs/list.html", await view_runs(db, asked, await freezes.list_frozen(visit.principal.sight)))


@router.get("/run")
async def run_by_id(
    visit: Viewing,
    db: DatabaseDep,
    runs: RunsDep,
    watches: WatchesDep,
    audits: AuditsDep,
    freezes: FreezesDep,
    name: NamedRun,
    since: Since = None,
    beside: Beside = "",
) -> Response:
    """A run whose id is no part of a path."""
    asked = AskedRun(name, since, beside or None)
    frozen = await freezes.all(visit.principal.sight)
    return visit.show("runs/run.html", await view_run(db, runs, watches, audits, frozen, asked))


@router.get("/runs/{run:path}")
async def show_run(
    run: str,
    visit: Viewing,
    db: DatabaseDep,
    runs: RunsDep,
    watches: WatchesDep,
    audits: AuditsDep,
    freezes: FreezesDep,
    since: Since = None,
    beside: Beside = "",
) -> Response:
    """What the run has pinned, how its rewards went, its alarms, what is new since a step, another run beside it."""
    return await run_by_id(visit, db, runs, watches, audits, freezes, run, since, beside)
