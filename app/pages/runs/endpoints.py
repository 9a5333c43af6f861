"""The list of runs, and a run's page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from app.pages.runs.service import listed, shown
from app.pages.visit import Visit, visitor
from app.state import DatabaseDep, RunsDep, WatchesDep

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Name = Annotated[str, Query(max_length=256)]
NamedRun = Annotated[str, Query(alias="id", max_length=256)]


@router.get("/runs")
async def list_runs(
    visit: Viewing, db: DatabaseDep, begins: Name = "", before: Annotated[str | None, Query(max_length=256)] = None
) -> Response:
    """Newest first, a hundred a page; ``begins`` is what an id begins with."""
    return visit.show("runs/list.html", await listed(db, begins, before))


@router.get("/run")
async def run_by_id(visit: Viewing, db: DatabaseDep, runs: RunsDep, watches: WatchesDep, name: NamedRun) -> Response:
    """A run whose id is no part of a path."""
    return visit.show("runs/run.html", await shown(db, runs, watches, name))


@router.get("/runs/{run:path}")
async def show_run(run: str, visit: Viewing, db: DatabaseDep, runs: RunsDep, watches: WatchesDep) -> Response:
    """What the run has pinned, how its rewards went, its marks and alarms."""
    return visit.show("runs/run.html", await shown(db, runs, watches, run))
