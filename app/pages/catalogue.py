"""What can judge here, and how that is priced: verifiers, judges' presets, recipes, and plug-ins that did not load."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from app.pages.visit import Visit, visitor
from app.presets.service import info
from app.state import RecipesDep
from judges import presets
from trueward.authoring.verifier import describe
from trueward.wire.base import Wire
from trueward.wire.preset import PresetInfo
from trueward.wire.verifier import Lane
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]


class VerifierRow(Wire):
    name: str
    version: str
    lane: Lane
    summary: str
    needs: list[str]


class RecipeEntry(Wire):
    name: str
    hash: str
    description: str
    terms: list[str] = Field(description="verifiers and models of its terms, those of routes included")


class CatalogueView(Wire):
    verifiers: list[VerifierRow]
    presets: list[PresetInfo] = Field(description="what judges ask, each with a page of its own")
    failures: dict[str, str] = Field(description="plug-ins that could not be loaded, with the reason")
    recipes: list[RecipeEntry]


@router.get("/catalogue")
async def catalogue(visit: Viewing, recipes: RecipesDep) -> Response:
    """Everything that there is to choose from."""
    infos = list(map(describe, registry.load_all().values()))
    view = CatalogueView(
        verifiers=[
            VerifierRow(name=one.name, version=one.version, lane=one.lane, summary=one.summary, needs=one.needs)
            for one in infos
        ],
        presets=[info(presets.find(name)) for name in presets.names()],
        failures=registry.failures(),
        recipes=[
            RecipeEntry(name=one.name, hash=one.hash, description=one.description, terms=list(one.verifiers))
            for one in recipes.all()
        ],
    )
    return visit.show("catalogue.html", view)
