"""The list of recipes, and a recipe's page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from app.pages.recipes.service import view_recipe, view_recipes
from app.pages.visit import Visit, visitor
from app.state import DatabaseDep, FreezesDep, RecipesDep

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Before = Annotated[str | None, Query(alias="from", max_length=300, description="hash of this recipe, or `other@hash`")]
After = Annotated[str | None, Query(alias="to", max_length=300, description="the same; default: the present content")]


@router.get("/recipes")
async def list_recipes(visit: Viewing, recipes: RecipesDep) -> Response:
    """The recipes at hand."""
    return visit.show("recipes/list.html", view_recipes(recipes))


@router.get("/recipe")
async def recipe_by_name(
    visit: Viewing,
    db: DatabaseDep,
    recipes: RecipesDep,
    freezes: FreezesDep,
    name: Annotated[str, Query(max_length=300)],
    before: Before = None,
    after: After = None,
) -> Response:
    """A recipe whose name is no part of a path."""
    frozen = await freezes.all(visit.principal.sight)
    return visit.show("recipes/recipe.html", await view_recipe(db, recipes, frozen, name, before, after))


@router.get("/recipes/{reference}")
async def show_recipe(
    reference: str,
    visit: Viewing,
    db: DatabaseDep,
    recipes: RecipesDep,
    freezes: FreezesDep,
    before: Before = None,
    after: After = None,
) -> Response:
    """By name, ``name@hash`` or hash: its text, its versions, the runs that use it, and what two versions differ in."""
    frozen = await freezes.all(visit.principal.sight)
    return visit.show("recipes/recipe.html", await view_recipe(db, recipes, frozen, reference, before, after))
