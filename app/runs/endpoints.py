"""Runs: list, show, and move what a run has pinned."""

from __future__ import annotations

from fastapi import APIRouter

from app.keys.admission import Scorer, Viewer
from app.kit.problems import PROBLEMS
from app.kit.slice import SliceDep
from app.route import BodyRoute
from app.runs.schemas import Pin, RunList
from app.state import PlannerDep, RunsDep
from trueward.types import Run

router = APIRouter(prefix="/v1/runs", route_class=BodyRoute, tags=["runs"], responses=PROBLEMS)


@router.get("")
async def list_runs(runs: RunsDep, key: Viewer, wanted: SliceDep) -> RunList:
    """Runs by id; `next`, and `after`, is a run's id."""
    found, following = wanted.cut(await runs.page(wanted), lambda run: run.id)
    return RunList(runs=found, next=following)


@router.get("/{run:path}")
async def show_run(run: str, runs: RunsDep, key: Viewer) -> Run:
    """A run, what it has pinned, and its marks."""
    return await runs.show(run)


@router.put("/{run:path}")
async def pin_run(run: str, body: Pin, runs: RunsDep, planner: PlannerDep, key: Scorer) -> Run:
    """Moves a run's pin to another recipe, or makes it strict. The move is recorded as a mark."""
    recipe = planner.plan(body.recipe).recipe if body.recipe is not None else None
    return await runs.pin(run, recipe, body.strict, body.reason, key.owner)
