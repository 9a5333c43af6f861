"""The pages on recipes and noise name whatever there is, and what they show is a recipe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from rewards.controls import KINDS
from rewards.library import BUILT_IN
from rewards.noise.appeals import Appeals
from rewards.noise.noise import Noise
from rewards.parts import AnyCombination, AnyRule, AnyShaping
from rewards.recipe import Recipe
from rewards.recipe_yaml import parse_document
from rewards.term import Term

PAGES = Path(__file__).parents[2] / "docs"
RECIPES = (PAGES / "recipes.md").read_text(encoding="utf-8")
NOISE = (PAGES / "noise.md").read_text(encoding="utf-8")


def methods(union: object, key: str) -> set[str]:
    """The names of all branches of a union."""
    branches = get_args(get_args(union)[0])
    return {get_args(branch.model_fields[key].annotation)[0] for branch in branches}


@pytest.mark.parametrize(
    "names",
    [
        methods(AnyShaping, "method"),
        methods(AnyCombination, "method"),
        methods(AnyRule, "rule"),
        set(KINDS),
        set(Recipe.model_fields),
        set(Term.model_fields),
        {path.stem for path in BUILT_IN.glob("*.yaml")},
    ],
)
def test_the_page_on_recipes_names_it(names: set[str]) -> None:
    assert names
    assert names - set(re.findall(r"`(\w[\w-]*)`", RECIPES)) == set()


def test_the_page_on_noise_names_every_key() -> None:
    keys = set(Noise.model_fields) | set(Appeals.model_fields) - {"params", "prior"}
    assert {key for key in keys if not re.search(rf"\b{key}\b", NOISE)} == set()


@pytest.mark.parametrize("page", [RECIPES, NOISE])
def test_what_a_page_shows_is_a_recipe(page: str) -> None:
    shown = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert shown
    for text in shown:
        assert parse_document(text, "shown").all_courses
