"""The first page: what can judge here, how that is priced, and which runs were seen last."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from app.audits import population
from app.pages.visit import Visit, visitor
from app.state import RecipesDep, RunsDep
from trueward.types import Lane, Wire
from trueward.verifier import describe
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
RECENT = 20


class VerifierRow(Wire):
    name: str
    version: str
    lane: Lane
    summary: str
    needs: list[str]


class RecipeRow(Wire):
    name: str
    hash: str
    description: str
    terms: list[str] = Field(description="verifiers and models of its terms, those of routes included")


class RunRow(Wire):
    id: str
    recipe: str | None = Field(description="content hash that is pinned")
    verifiers: dict[str, str]
    created_at: datetime


class StartView(Wire):
    verifiers: list[VerifierRow]
    failures: dict[str, str] = Field(description="plug-ins that could not be loaded, with the reason")
    recipes: list[RecipeRow]
    runs: list[RunRow] = Field(description="the newest 20, newest first, without the audits' own")


@router.get("/")
async def start(visit: Viewing, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Everything that there is to choose from."""
    infos = [describe(registry.get(name)) for name in registry.names()]
    view = StartView(
        verifiers=[
            VerifierRow(name=one.name, version=one.version, lane=one.lane, summary=one.summary, needs=one.needs)
            for one in infos
        ],
        failures=dict(registry.failures()),
        recipes=[
            RecipeRow(name=one.name, hash=one.hash, description=one.description, terms=list(one.verifiers))
            for one in recipes.all()
        ],
        runs=[
            RunRow(
                id=run.id,
                recipe=run.recipe,
                verifiers=run.verifiers,
                created_at=datetime.fromisoformat(run.created_at),
            )
            for run in await runs.recent(RECENT, without=population.RUN)
        ],
    )
    return visit.show("start.html", view)
