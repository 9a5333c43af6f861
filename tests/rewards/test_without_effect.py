"""Parts of a recipe that change nothing are named, and none that change something."""

from __future__ import annotations

import pytest

from rewards.library import Library
from rewards.recipe import parse_recipe
from rewards.without_effect import without_effect


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"terms": {"math": 0}}, "every term weighs 0"),
        ({"terms": {"math": 1, "format": 0}}, "'format' weighs 0"),
        ({"terms": ["math", {"verifier": "format", "weight": {"points": [[0, 0], [5, 0]]}}]}, "'format' weighs 0"),
        ({"routes": [{"when": {}, "terms": "math"}], "terms": "exact"}, "default terms are never taken"),
        (
            {"routes": [{"when": {"data_source": "a"}, "terms": name} for name in ("math", "exact")]},
            "route 2 is never taken",
        ),
        ({"terms": "math", "group": {"size": 4}}, "group.size"),
    ],
)
def test_what_changes_nothing_is_named(body: dict[str, object], words: str) -> None:
    [found] = without_effect(parse_recipe(body))
    assert words in found


@pytest.mark.parametrize(
    "body",
    [
        {"terms": ["math", {"verifier": "format", "weight": 0}, {"verifier": "exact", "gate": "format"}]},
        {"terms": [{"verifier": "math", "weight": 0, "answer": True}, "format"]},
        {"terms": {"math": 1, "format": 0}, "combine": "product"},
        {"terms": {"math": 1, "format": 0}, "combine": "min"},
        {"terms": ["math", {"verifier": "format", "weight": {"points": [[0, 0], [5, 1]]}}]},
        {"terms": "math", "shaping": ["z_score"], "group": {"size": 4}},
        {"terms": "math", "missing": "mean", "group": {"size": 4}},
        {"routes": [{"when": {"data_source": "a"}, "terms": "math"}], "terms": "exact"},
    ],
)
def test_what_changes_something_is_not(body: dict[str, object]) -> None:
    assert without_effect(parse_recipe(body)) == []


def test_no_built_in_recipe_has_a_part_without_effect() -> None:
    assert {made.name: found for made in Library().recipes() if (found := without_effect(made))} == {}
