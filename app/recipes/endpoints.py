"""Recipes: list, show, put, delete, validate, compare."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from app.http.route import BodyRoute, read_bounded
from app.keys.admission import SharedScorer, Viewer
from app.kit.problems import PROBLEMS
from app.recipes.parsing import read_body
from app.recipes.schemas import Recipes, RecipeView
from app.state import AuditsDep, RecipesDep
from trueward.errors import InvalidRecipe
from trueward.estimators.noise import Estimator
from trueward.wire.recipe import (
    CorrectedRecipe,
    RecipeCorrection,
    RecipeDifference,
    RecipeValidation,
    RecipeVersion,
    RecipeVersions,
    StoredRecipe,
)

YAML = """\
description: "Mathematics, and a little for the form."
terms:
  math: 1
  format: {weight: 0.1, gate: math}
"""
JSON: dict[str, Any] = {"terms": [{"verifier": "math"}, {"verifier": "format", "weight": 0.1, "gate": "math"}]}

RECIPE_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {"schema": {"type": "object"}, "examples": {"short": {"value": JSON}}},
        "application/yaml": {"schema": {"type": "string"}, "examples": {"short": {"value": YAML}}},
    },
}
"""The body of a recipe, for the OpenAPI document."""

router = APIRouter(prefix="/v1/recipes", route_class=BodyRoute, tags=["recipes"], responses=PROBLEMS)
Trainers = Annotated[
    Estimator, Query(description="what the trainer makes of a group's rewards, for warnings about noise correction")
]
BODY: dict[str, Any] = {"requestBody": RECIPE_BODY}


@router.get("")
async def list_recipes(recipes: RecipesDep, key: Viewer) -> Recipes:
    """The recipes at hand, each with its content hash."""
    return Recipes(recipes=[RecipeView.of(recipe) for recipe in recipes.all()])


@router.post("/validate", openapi_extra=BODY)
async def validate_recipe(
    request: Request,
    recipes: RecipesDep,
    audits: AuditsDep,
    key: Viewer,
    estimator: Trainers = Estimator.STANDARDISED,
) -> RecipeValidation:
    """What is wrong with a recipe, by field and line, and what in it has no effect; nothing is stored."""
    raw = await read_bounded(request, request.state.settings.max_body_bytes)
    try:
        body = await read_body(raw, request.headers.get("content-type", ""))
    except InvalidRecipe as refusal:
        return RecipeValidation(valid=False, problems=refusal.errors)
    return await recipes.validate(body, estimator, audits)


@router.get("/{name}")
async def show_recipe(name: str, recipes: RecipesDep, key: Viewer) -> RecipeView:
    """One recipe, by ``name`` or ``name@hash``."""
    return RecipeView.of(recipes.find(name))


@router.put("/{name}", openapi_extra=BODY)
async def put_recipe(
    name: str,
    request: Request,
    recipes: RecipesDep,
    audits: AuditsDep,
    key: SharedScorer,
    estimator: Trainers = Estimator.STANDARDISED,
) -> StoredRecipe:
    """Stores a recipe under a name, as JSON or as YAML (by its content type).

    An audit that its noise names by `latest`, a name, a run or the beginning of an id is stored by the id that this
    means now. What the name stood for before stays at hand as ``name@hash``. Names of files of the service are 409.
    """
    raw = await read_bounded(request, request.state.settings.max_body_bytes)
    body = await read_body(raw, request.headers.get("content-type", ""))
    return await recipes.put(name, body, estimator, key.owner, audits)


@router.post("/{name}/correct", status_code=201)
async def correct_recipe(
    name: str, asked: RecipeCorrection, recipes: RecipesDep, audits: AuditsDep, key: SharedScorer, viewer: Viewer
) -> CorrectedRecipe:
    """Stores a recipe anew, its terms of the audited verifier corrected with what the audit measured."""
    return await recipes.correct(name, asked, key.owner, audits)


@router.delete("/{name}")
async def delete_recipe(name: str, recipes: RecipesDep, key: SharedScorer) -> RecipeVersion:
    """Nobody can score with the recipe any more; what was recorded with it stays, and so do its versions."""
    return await recipes.delete(name, key.owner)


@router.get("/{name}/versions")
async def list_versions(name: str, recipes: RecipesDep, key: Viewer) -> RecipeVersions:
    """What the name stood for, newest first, deletions included."""
    return RecipeVersions(versions=recipes.history(name))


@router.get("/{name}/diff")
async def compare_versions(
    name: str,
    recipes: RecipesDep,
    key: Viewer,
    before: Annotated[str | None, Query(alias="from", description="hash of this recipe, or `other@hash`")] = None,
    after: Annotated[str | None, Query(alias="to", description="the same; default: the present content")] = None,
) -> RecipeDifference:
    """What differs between two contents, place by place, defaults included."""
    return recipes.difference(name, before, after)
