"""The ledger: one record with all that explains it, and pages of verdicts."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from app.keys.admission import Viewer
from app.kit.problems import PROBLEMS
from app.state import DatabaseDep
from app.verdicts.repository import VerdictsRepository
from app.verdicts.schemas import RewardDetail, VerdictDetail, VerdictPage, VerdictQuery
from trueward.errors import NotFound
from trueward.types import Outcome

router = APIRouter(prefix="/v1/verdicts", tags=["ledger"], responses=PROBLEMS)


async def _repository(db: DatabaseDep) -> VerdictsRepository:
    return VerdictsRepository(db)


RepositoryDep = Annotated[VerdictsRepository, Depends(_repository)]


@router.get("")
async def list_verdicts(
    repository: RepositoryDep,
    key: Viewer,
    run: Annotated[str | None, Query()] = None,
    verifier: Annotated[str | None, Query()] = None,
    outcome: Annotated[Outcome | None, Query()] = None,
    group: Annotated[str | None, Query()] = None,
    sample_id: Annotated[str | None, Query(description="the id that the caller gave the sample")] = None,
    reason_code: Annotated[str | None, Query()] = None,
    after: Annotated[str | None, Query(description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    order: Annotated[Literal["newest", "oldest"], Query()] = "newest",
) -> VerdictPage:
    """Verdicts by record, newest first. Records are made before they are committed: one that is on its way
    may appear behind a page that was read already."""
    query = VerdictQuery(
        run=run, verifier=verifier, outcome=outcome, group=group, sample_id=sample_id, reason_code=reason_code
    )
    found = await repository.page(query, after, limit + 1, oldest=order == "oldest")
    more = len(found) > limit
    return VerdictPage(verdicts=found[:limit], next=found[limit - 1].record if more else None)


@router.get("/{record}")
async def show_record(record: str, repository: RepositoryDep, key: Viewer) -> VerdictDetail | RewardDetail:
    """A verdict or a reward, the sample it judges, and the parameters or the recipe that made it."""
    found = await repository.find(record)
    if found is None:
        raise NotFound(f"the ledger has no record {record[:100]!r}; an answer's `record` names one")
    return found
