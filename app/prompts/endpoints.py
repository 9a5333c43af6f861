"""GET /v1/prompts: how a run does on its prompts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from app.http.operation import Operation
from app.keys.admission import Viewer
from app.kit.problems import PROBLEMS
from app.prompts.repository import PromptsRepository
from app.prompts.service import Prompts
from app.state import DatabaseDep
from trueward.wire.prompt import PromptList, PromptPage

router = APIRouter(route_class=Operation, prefix="/v1/prompts", tags=["runs"], responses=PROBLEMS)


async def _service(db: DatabaseDep) -> Prompts:
    return Prompts(PromptsRepository(db))


PromptsDep = Annotated[Prompts, Depends(_service)]


@router.get("")
async def list_prompts(
    prompts: PromptsDep,
    key: Viewer,
    run: Annotated[str, Query(min_length=1, max_length=256)],
    which: Annotated[
        PromptList,
        Query(
            alias="list",
            description="`difficulty`: all, hardest first; `hard`: hard but solvable; `brittle`: easy, and failed "
            "all the same; `flat`: groups in a row without any variance",
        ),
    ] = "difficulty",
    after: Annotated[str | None, Query(description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> PromptPage:
    """Success rates of a run's prompts over their latest groups, and the prompts that deserve a look.

    Rates are stored a moment after the rewards. A run that nothing is known of has no prompts.
    """
    return await prompts.page(run, which, after, limit)
