"""GET /v1/rubrics/correlation: how the criteria of a rubric go together."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.http.operation import Operation
from app.keys.admission import Viewer
from app.kit.problems import PROBLEMS
from app.rubrics.repository import RubricsRepository
from app.rubrics.service import Rubrics
from app.state import DatabaseDep
from trueward.rubrics.correlation import CriteriaReport

router = APIRouter(route_class=Operation, prefix="/v1/rubrics", tags=["ledger"], responses=PROBLEMS)


@router.get("/correlation")
async def correlate_criteria(
    db: DatabaseDep,
    key: Viewer,
    run: Annotated[str | None, Query(min_length=1, max_length=256)] = None,
    verifier: Annotated[str, Query(description="whose verdicts have scores of criteria")] = "rubric",
    rubric: Annotated[str | None, Query(description="hash of a rubric; default: the one with most verdicts")] = None,
    verdicts: Annotated[int, Query(ge=1, le=200_000, description="verdicts that are read, latest first")] = 100_000,
    after: Annotated[str | None, Query(description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="pairs")] = 100,
) -> CriteriaReport:
    """Correlations of the scores of criteria, and criteria that are always or never met.

    Criteria of different rubrics are never mixed: they may have the same ids.
    """
    found = Rubrics(RubricsRepository(db))
    return await found.correlation(verifier, run, rubric, verdicts=verdicts, after=after, limit=limit)
