"""A recipe's budget: what it may say, and that a recipe without one keeps its hash."""

from __future__ import annotations

import pytest

from app.path.facts import FACTS
from rewards.budget import Budget
from rewards.recipe import parse_recipe
from rewards.recipe_yaml import parse_document
from rewards.without_effect import without_effect
from trueward.errors import InvalidRecipe

JUDGED = {"terms": [{"verifier": "judge", "params": {"preset": "correctness"}}]}


def test_a_budget_bounds_any_of_three() -> None:
    recipe = parse_document("terms: math\nbudget: {cost: 5.0, tokens: 2000000, calls: 10000}\n")
    assert recipe.budget == Budget(cost=5.0, tokens=2_000_000, calls=10_000)
    assert parse_recipe({"terms": "math", "budget": {"calls": 3}}).budget == Budget(calls=3)


def test_without_a_budget_the_hash_is_what_it_was() -> None:
    plain = parse_recipe({"verifier": "exact"})
    assert plain.hash == "sha256:0d7e61ebe00b413ce4808cf6a30172d6f197fe7f9e6970ac72210ee526a15bcf"
    assert parse_recipe({"verifier": "exact", "budget": None}).hash == plain.hash
    assert parse_recipe({"verifier": "exact", "budget": {"calls": 1}}).hash != plain.hash


@pytest.mark.parametrize(
    ("budget", "field"),
    [
        ({}, "recipe.budget"),
        ({"cost": 0}, "recipe.budget.cost"),
        ({"cost": -1}, "recipe.budget.cost"),
        ({"cost": float("nan")}, "recipe.budget.cost"),
        ({"cost": float("inf")}, "recipe.budget.cost"),
        ({"cost": 1e30}, "recipe.budget.cost"),
        ({"tokens": 0}, "recipe.budget.tokens"),
        ({"tokens": 1.5}, "recipe.budget.tokens"),
        ({"calls": 2**60}, "recipe.budget.calls"),
        ({"money": 1}, "recipe.budget.money"),
        (5, "recipe.budget"),
    ],
)
def test_what_is_no_budget_is_refused_by_its_field(budget: object, field: str) -> None:
    with pytest.raises(InvalidRecipe) as refusal:
        parse_recipe({"terms": "math", "budget": budget})
    assert [problem.field for problem in refusal.value.errors] == [field]


def test_a_budget_where_nothing_asks_a_model_has_no_effect() -> None:
    budget = {"budget": {"calls": 1}}
    [found] = without_effect(parse_recipe({"terms": ["math", "exact"], **budget}), FACTS)
    assert "no verifier here asks one" in found
    assert without_effect(parse_recipe({**JUDGED, **budget}), FACTS) == []
    fallback = {"terms": [{"verifier": "math", "fallback": [{"verifier": "judge"}]}], **budget}
    assert without_effect(parse_recipe(fallback), FACTS) == []


def test_of_verifiers_that_are_not_known_here_nothing_is_said() -> None:
    assert without_effect(parse_recipe({"terms": "foreign", "budget": {"calls": 1}}), FACTS) == []
    voted = {"terms": [{"verifier": "majority", "params": {"inner": "judge"}}], "unsupervised": True}
    assert without_effect(parse_recipe({**voted, "budget": {"calls": 1}}), FACTS) == []
