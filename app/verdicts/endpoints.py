"""The ledger: one record with all that explains it, and pages of verdicts and of rewards."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from app.http.operation import Operation
from app.keys.admission import Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.state import DatabaseDep
from app.verdicts.repository import VerdictsRepository
from app.verdicts.schemas import RewardQuery, VerdictQuery
from trueward.errors import NotFound
from trueward.wire.record import RewardDetail, RewardPage, VerdictDetail, VerdictPage
from trueward.wire.verdict import Outcome

router = APIRouter(route_class=Operation, tags=["ledger"], responses=PROBLEMS)


async def _repository(db: DatabaseDep) -> VerdictsRepository:
    return VerdictsRepository(db)


RepositoryDep = Annotated[VerdictsRepository, Depends(_repository)]
Order = Annotated[Literal["newest", "oldest"], Query()]
SampleId = Annotated[str | None, Query(description="the id that the caller gave the sample")]


@router.get("/v1/verdicts")
async def list_verdicts(
    repository: RepositoryDep,
    key: Viewer,
    wanted: SliceDep,
    run: Annotated[str | None, Query()] = None,
    verifier: Annotated[str | None, Query()] = None,
    outcome: Annotated[Outcome | None, Query()] = None,
    group: Annotated[str | None, Query()] = None,
    sample_id: SampleId = None,
    reason_code: Annotated[str | None, Query()] = None,
    order: Order = "newest",
) -> VerdictPage:
    """Verdicts by record, newest first. Records are made before they are committed: one that is on its way
    may appear behind a page that was read already."""
    query = VerdictQuery(
        run=run, verifier=verifier, outcome=outcome, group=group, sample_id=sample_id, reason_code=reason_code
    )
    found, following = wanted.cut(
        await repository.page(query, wanted, oldest=order == "oldest"), lambda one: one.record
    )
    return VerdictPage(verdicts=found, next=following)


@router.get("/v1/rewards")
async def list_rewards(
    repository: RepositoryDep,
    key: Viewer,
    wanted: SliceDep,
    run: Annotated[str | None, Query()] = None,
    step: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    recipe: Annotated[str | None, Query(description="a recipe's name, or its content hash")] = None,
    outcome: Annotated[Outcome | None, Query()] = None,
    group: Annotated[str | None, Query()] = None,
    sample_id: SampleId = None,
    reason_code: Annotated[str | None, Query()] = None,
    order: Order = "newest",
) -> RewardPage:
    """Rewards by record, newest first, as `GET /v1/verdicts` lists verdicts."""
    by_hash = recipe is not None and recipe.startswith("sha256:")
    query = RewardQuery(
        run=run,
        step=step,
        recipe=recipe if by_hash else None,
        recipe_name=None if by_hash else recipe,
        outcome=outcome,
        group=group,
        sample_id=sample_id,
        reason_code=reason_code,
    )
    found, following = wanted.cut(
        await repository.rewards(query, wanted, oldest=order == "oldest"), lambda one: one.record
    )
    return RewardPage(rewards=found, next=following)


@router.get("/v1/verdicts/{record}")
async def show_record(record: str, repository: RepositoryDep, key: Viewer) -> VerdictDetail | RewardDetail:
    """A verdict or a reward, the sample it judges, and the parameters or the recipe that made it."""
    found = await repository.find(record)
    if found is None:
        raise NotFound(f"the ledger has no record {record[:100]!r}; an answer's `record` names one")
    return found
