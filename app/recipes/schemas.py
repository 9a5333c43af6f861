"""What the recipes endpoints answer beside the wire types."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from app.path.facts import FACTS
from rewards.interface import exchange
from rewards.recipe import Recipe
from trueward.wire.base import Wire


class RecipeView(Wire):
    name: str
    hash: str = Field(description="sha256 of the recipe's content")
    recipe: Recipe
    reads: tuple[str, ...] = Field(description="fields of a sample without which there is no reward")
    gives: tuple[str, ...] = Field(
        description="what it gives beside the reward: `step_rewards`, `token_rewards`, `weight`, `draw`"
    )

    @classmethod
    def of(cls, recipe: Recipe) -> Self:
        reads, gives = exchange(recipe, FACTS)
        return cls(name=recipe.name, hash=recipe.hash, recipe=recipe, reads=reads, gives=gives)


class Recipes(Wire):
    recipes: list[RecipeView]
