"""Recipes: put, deleted, validated and compared."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from app.path.facts import FACTS
from app.path.plan import Planner
from app.recipes.audit_rates import AuditNames, correct_recipe, pin_audits
from app.recipes.parsing import Written
from app.recipes.shelf import Shelf
from rewards.difference import difference
from rewards.interface import exchange
from rewards.noise.advice import advice
from rewards.noise.rates import Rates
from rewards.recipe import Recipe, parse_recipe
from rewards.without_effect import without_effect
from trueward.errors import Conflict, InvalidRecipe, NotFound, UnknownRecipe
from trueward.estimators.noise import Estimator
from trueward.wire.recipe import (
    CorrectedRecipe,
    RecipeChange,
    RecipeCorrection,
    RecipeDifference,
    RecipeValidation,
    RecipeVersion,
    StoredRecipe,
)

_CORRECTED = "-corrected"
"""What the name of a corrected recipe ends with, where none is stated."""


class RecipesService:
    def __init__(self, shelf: Shelf, planner: Planner) -> None:
        self._shelf = shelf
        self._planner = planner

    def all(self) -> list[Recipe]:
        return self._shelf.recipes()

    def find(self, reference: str) -> Recipe:
        """Raises :class:`NotFound`."""
        try:
            return self._shelf.find(reference)
        except UnknownRecipe as unknown:
            raise NotFound(unknown.detail) from None

    async def put(
        self, name: str, body: Written, estimator: Estimator, owner: str | None, audits: AuditNames | None = None
    ) -> StoredRecipe:
        """Without ``audits`` its noise names audits by id alone.

        Raises :class:`InvalidRecipe`, or :class:`Conflict` for the name of a file.
        """
        self._refuse_files(name)
        recipe = await body.parse(partial(_make_recipe, self._planner, audits), name)
        new = await self._store(recipe, owner)
        return StoredRecipe(name=name, hash=recipe.hash, new=new, warnings=self.warnings(recipe, estimator))

    async def correct(
        self, reference: str, asked: RecipeCorrection, owner: str | None, audits: AuditNames
    ) -> CorrectedRecipe:
        """Stores a recipe anew, corrected with the rates of an audit.

        Raises :class:`NotFound`, :class:`InvalidRequest`, or :class:`Conflict` for the name of a file.
        """
        before = self.find(reference)
        name = asked.name or f"{before.name.removesuffix(_CORRECTED)}{_CORRECTED}"
        self._refuse_files(name)
        recipe, audit = await correct_recipe(before, name, asked.audit, self._planner, audits)
        self._planner.of(recipe)
        new = await self._store(recipe, owner)
        said = self.warnings(recipe, asked.estimator)
        return CorrectedRecipe(name=name, hash=recipe.hash, new=new, warnings=said, audit=audit)

    async def _store(self, recipe: Recipe, owner: str | None) -> bool:
        """Whether its name stood for another content before, or for none."""
        latest = self._shelf.latest(recipe.name)
        same = latest is not None and latest.hash == recipe.hash and latest.origin == "put"
        if not same or (latest is not None and latest.description != recipe.description):
            await self._shelf.add(recipe, "put", owner)
        return not same

    def warnings(self, recipe: Recipe, estimator: Estimator) -> list[str]:
        """:func:`warnings`, with the rates of the audits that are known here."""
        return warnings(recipe, estimator, self._planner.find_rates(recipe))

    async def delete(self, name: str, owner: str | None) -> RecipeVersion:
        """Raises :class:`NotFound`, or :class:`Conflict` for the name of a file. What was recorded stays."""
        self._refuse_files(name)
        self.find(name)
        return await self._shelf.delete(name, owner)

    def history(self, name: str) -> list[RecipeVersion]:
        """Newest first. Raises :class:`NotFound`."""
        found = self._shelf.history(name)
        if not found:
            raise NotFound(f"there is no recipe {name[:100]!r}; GET /v1/recipes lists them")
        return found

    async def validate(self, body: Written, estimator: Estimator, audits: AuditNames) -> RecipeValidation:
        return await valid(body, self._planner, estimator, audits)

    def difference(self, name: str, before: str | None, after: str | None) -> RecipeDifference:
        """``before`` and ``after`` are hashes of this recipe, or other recipes as ``name@hash`` (``name@``: as it is).

        By default the present content, against the one before it. Raises :class:`NotFound`.
        """
        newer = self._named(name, after)
        older = self._named(name, before) if before is not None else self._before(name, newer)
        changes = [RecipeChange(**change._asdict()) for change in difference(older, newer)]
        return RecipeDifference(before=older.hash, after=newer.hash, changes=changes)

    def _named(self, name: str, version: str | None) -> Recipe:
        return self.find(version if version is not None and "@" in version else f"{name}@{version or ''}")

    def _before(self, name: str, recipe: Recipe) -> Recipe:
        hashes = [version.hash for version in self.history(name) if version.hash is not None]
        place = hashes.index(recipe.hash) if recipe.hash in hashes else -1
        earlier = next((digest for digest in hashes[place + 1 :] if digest != recipe.hash), None)
        if earlier is None:
            raise NotFound(f"recipe {name!r} had no other content before {recipe.hash}: name one with ?from=")
        return self.find(f"{name}@{earlier}")

    def _refuse_files(self, name: str) -> None:
        if name in self._shelf.files:
            raise Conflict(
                f"recipe {name!r} is a file of this service and cannot be changed from outside: take another name, or "
                "change the file in TRUEWARD_RECIPES_DIR"
            )


async def valid(
    body: Written, planner: Planner, estimator: Estimator, audits: AuditNames | None = None
) -> RecipeValidation:
    """What is wrong with a recipe, or its hash and what in it has no effect."""
    try:
        recipe = await body.parse(partial(_make_recipe, planner, audits), None)
    except InvalidRecipe as refusal:
        return RecipeValidation(valid=False, problems=refusal.errors)
    reads, gives = exchange(recipe, FACTS)
    found = warnings(recipe, estimator, planner.find_rates(recipe))
    return RecipeValidation(valid=True, hash=recipe.hash, warnings=found, reads=list(reads), gives=list(gives))


async def _make_recipe(planner: Planner, audits: AuditNames | None, body: Mapping[str, object]) -> Recipe:
    recipe = await pin_audits(parse_recipe(body, FACTS), planner, audits)
    planner.of(recipe)
    return recipe


def warnings(recipe: Recipe, estimator: Estimator, rates: Mapping[str, Rates]) -> list[str]:
    """What the recipe says without any effect, under the estimator of the trainer, and what its audits' rates leave
    uncertain."""
    return [*without_effect(recipe, FACTS), *advice(recipe, estimator, rates)]
