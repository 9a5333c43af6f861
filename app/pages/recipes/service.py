"""Reads what the pages of recipes show: of the recipes at hand, and of contents that the ledger alone knows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

import yaml
from pydantic import ValidationError

from app.kit.db import Database
from app.pages.paths import recipe_path, run_path
from app.pages.recipes.diff import side_by_side
from app.pages.recipes.views import DiffView, RecipePage, RecipeRow, RecipesView, UseRow
from app.recipes.repository import RecipesRepository
from app.recipes.service import RecipesService
from app.runs.repository import RunsRepository
from rewards import core_schema
from rewards.recipe import Recipe
from trueward.errors import NotFound
from trueward.estimators.noise import Estimator
from trueward.wire.recipe import RecipeVersion
from trueward.wire.watch import Freeze

RUNS = 50
HASH = "sha256:"


def view_recipes(recipes: RecipesService) -> RecipesView:
    return RecipesView(recipes=[_row(recipe) for recipe in recipes.all()])


def text_of(recipe: Recipe) -> str:
    """YAML, without name and description and without what is at its default."""
    body = recipe.model_dump(mode="json", exclude={"name", "description"}, exclude_defaults=True)
    text: str = yaml.dump(body, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return text


class _Dumper(yaml.SafeDumper):
    """Puts in quotes what YAML 1.1 or YAML 1.2 would take for something else than a text."""

    def represent_str(self, data: str) -> yaml.ScalarNode:
        plain = core_schema.value(core_schema.PLAIN, data) == data
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=None if plain else "'")


_Dumper.add_representer(str, _Dumper.represent_str)


async def view_recipe(
    db: Database,
    recipes: RecipesService,
    freezes: Sequence[Freeze],
    reference: str,
    before: str | None,
    after: str | None,
) -> RecipePage:
    """``reference`` is a name, ``name@hash`` or a whole hash. Raises :class:`NotFound`."""
    recipe, versions = await _find_recipe(db, recipes, reference)
    stored = bool(versions) and versions[0].hash is not None
    hashes = {recipe.hash, *(version.hash for version in versions if version.hash is not None)}
    uses = await RunsRepository(db).of_recipes(hashes, RUNS)
    compared = before is not None or after is not None
    return RecipePage(
        name=recipe.name,
        hash=recipe.hash,
        description=recipe.description,
        text=text_of(recipe),
        current=stored and recipes.find(recipe.name).hash == recipe.hash,
        stored=stored,
        versions=versions,
        diff=await _diff(recipes, recipe.name, before or None, after or None) if compared else None,
        runs=[
            UseRow(
                run=run.id,
                path=run_path(run.id),
                recipe=run.recipe or "",
                created_at=datetime.fromisoformat(run.created_at),
            )
            for run in uses
        ],
        freeze=next((one for one in freezes if one.recipe == recipe.hash and one.lifted_at is None), None),
        warnings=recipes.warnings(recipe, Estimator.STANDARDISED),
    )


async def _find_recipe(db: Database, recipes: RecipesService, reference: str) -> tuple[Recipe, list[RecipeVersion]]:
    """With the versions of the name that the recipe has; none for one that was only ever sent in a request."""
    if not reference.startswith(HASH):
        recipe = recipes.find(reference)
        return recipe, recipes.history(recipe.name)
    repository = RecipesRepository(db)
    body = (await repository.bodies([reference])).get(reference)
    absent = NotFound(f"no recipe with the content {reference[:80]} was ever stored; /v1/recipes lists those at hand")
    if body is None:
        raise absent
    try:
        recipe = Recipe.model_validate(body)
    except ValidationError as refusal:
        raise NotFound(f"recipe {reference[:80]} was stored by another version of the service: {refusal}") from None
    try:
        versions = recipes.history(recipe.name)
    except NotFound:
        versions = []
    if any(version.hash == reference for version in versions):
        return recipe, versions
    if db is db.whole:
        return recipe, []
    # who sent it first named and described it, and may be of another project
    name = await repository.name_of_sent(recipe)
    if name is None:
        raise absent
    return recipe.model_copy(update={"name": name, "description": ""}), []


async def _diff(recipes: RecipesService, name: str, before: str | None, after: str | None) -> DiffView:
    """Of two versions, or of recipes that are named ``other@hash``, as the API compares them."""
    found = recipes.difference(name, before, after)
    old, new = (
        recipes.find(chosen if chosen is not None and "@" in chosen else f"{name}@{digest}")
        for chosen, digest in ((before, found.before), (after, found.after))
    )
    rows = await asyncio.to_thread(side_by_side, text_of(old), text_of(new))
    return DiffView(before=found.before, after=found.after, rows=rows, changes=found.changes)


def _row(recipe: Recipe) -> RecipeRow:
    path = recipe_path(recipe.name)
    return RecipeRow(
        name=recipe.name, hash=recipe.hash, description=recipe.description, terms=list(recipe.verifiers), path=path
    )
