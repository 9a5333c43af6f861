"""What the recipes endpoints answer beside the wire types."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from rewards.recipe import Recipe
from trueward.types import Wire


class RecipeView(Wire):
    name: str
    hash: str = Field(description="sha256 of the recipe's content")
    recipe: Recipe

    @classmethod
    def of(cls, recipe: Recipe) -> Self:
        return cls(name=recipe.name, hash=recipe.hash, recipe=recipe)


class Recipes(Wire):
    recipes: list[RecipeView]
