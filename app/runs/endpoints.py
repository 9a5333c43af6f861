"""Runs: list, show, compare its steps, and move what a run has pinned."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.http.route import BodyRoute
from app.keys.admission import Scorer, Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.runs.steps import StepsRepository
from app.state import DatabaseDep, PlannerDep, RunsDep
from trueward.wire.change import RunChanges
from trueward.wire.run import Pin, Run, RunList
from trueward.wire.step import StepPage

router = APIRouter(prefix="/v1/runs", route_class=BodyRoute, tags=["runs"], responses=PROBLEMS)


@router.get("")
async def list_runs(runs: RunsDep, key: Viewer, wanted: SliceDep) -> RunList:
    """Runs by id; `next`, and `after`, is a run's id."""
    found, following = wanted.cut(await runs.page(wanted), lambda run: run.id)
    return RunList(runs=found, next=following)


@router.get("/{run:path}/steps")
async def show_steps(
    run: str,
    runs: RunsDep,
    db: DatabaseDep,
    key: Viewer,
    after: Annotated[int | None, Query(ge=0, le=2**53, description="the steps behind this one")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> StepPage:
    """The run's numbers step by step: rewards, components, outcomes, causes, and a few records to look at."""
    await runs.show(run)
    return await StepsRepository(db).page(run, after, limit)


@router.get("/{run:path}/changes")
async def show_changes(
    run: str, runs: RunsDep, key: Viewer, since: Annotated[int, Query(ge=0, le=2**53, description="a step")]
) -> RunChanges:
    """What became more frequent in the responses from a step on: reasons, forms of answers, phrases, clusters."""
    return await runs.changes(run, since)


@router.get("/{run:path}")
async def show_run(run: str, runs: RunsDep, key: Viewer) -> Run:
    """A run, what it has pinned, and its marks."""
    return await runs.show(run)


@router.put("/{run:path}")
async def pin_run(run: str, body: Pin, runs: RunsDep, planner: PlannerDep, key: Scorer) -> Run:
    """Moves a run's pin to another recipe, or makes it strict. The move is recorded as a mark."""
    recipe = planner.plan(body.recipe).recipe if body.recipe is not None else None
    return await runs.pin(run, recipe, body.strict, body.reason, key.owner)
