"""Recipes: what may be written, what is refused and where, and what a hash follows."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.path.facts import FACTS
from rewards.check import check
from rewards.facts import Facts
from rewards.library import Library
from rewards.recipe import Recipe, parse_recipe
from rewards.term import Schedule
from trueward.errors import InvalidRecipe
from verifiers import registry

SEVERAL: dict[str, object] = {"terms": ["math", {"verifier": "format", "gate": "math"}]}


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ({"verifier": "math"}, {"terms": [{"verifier": "math"}]}),
        ({"verifier": "math", "weight": 2}, {"terms": [{"verifier": "math", "weight": 2}]}),
        ({"terms": "math"}, {"terms": [{"verifier": "math"}]}),
        ({"terms": {"math": 1, "format": {"weight": 0.1}}}, {"terms": ["math", {"verifier": "format", "weight": 0.1}]}),
        ({"terms": ["math"], "missing": None}, {"terms": ["math"], "missing": "null"}),
        ({"terms": ["math"], "combine": "min"}, {"terms": ["math"], "combine": {"method": "min"}}),
        (
            {"terms": ["math"], "shaping": [{"clip": [-1, 1]}, "rank"]},
            {"terms": ["math"], "shaping": [{"method": "clip", "low": -1, "high": 1}, {"method": "rank"}]},
        ),
        (
            {"terms": ["math"], "shaping": [{"sigmoid": {"centre": 2}, "term": "math"}]},
            {"terms": ["math"], "shaping": [{"method": "sigmoid", "centre": 2, "term": "math"}]},
        ),
        (
            {"terms": ["math"], "group": {"rules": ["zero_variance"]}},
            {"terms": ["math"], "group": {"rules": [{"rule": "zero_variance"}]}},
        ),
        ({"terms": ["math"], "on_truncated": "penalty"}, {"terms": ["math"], "on_truncated": {"penalty": 0.5}}),
        (SEVERAL, {"terms": ["math", {"verifier": "format", "gate": [{"term": "math", "at_least": 1}]}]}),
        (
            {"terms": [{"verifier": "math", "fallback": "exact"}]},
            {"terms": [{"verifier": "math", "fallback": [{"verifier": "exact", "when": ["unparsed", "rejected"]}]}]},
        ),
        (
            {"terms": ["math"], "noise": {"audit": "a"}},
            {"terms": [{"verifier": "math", "noise": {"method": "backward", "audit": "a"}}]},
        ),
    ],
)
def test_a_short_form_is_the_same_recipe(short: Mapping[str, object], full: Mapping[str, object]) -> None:
    assert parse_recipe(short).hash == parse_recipe(full).hash


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"terms": [{"verifier": "math", "gate": "math"}]}, "terms.0.gate", "cyclic_gate"),
        (
            {"terms": [{"verifier": "math", "gate": "format"}, {"verifier": "format", "gate": "math"}]},
            "terms.0.gate",
            "cyclic_gate",
        ),
        ({"terms": [{"verifier": "math", "gate": "nobody"}]}, "terms.0.gate", "unknown_term"),
        ({"terms": ["math", "math"]}, "terms", "duplicate_term"),
        ({"terms": [{"verifier": "math", "shadow": 0.1}]}, "terms", "no_paid_term"),
        (
            {"terms": ["math", {"verifier": "f", "shadow": 1}, {"verifier": "g", "gate": "f"}]},
            "terms.2.gate",
            "shadow_gate",
        ),
        ({"terms": [{"verifier": "a", "answer": True}, {"verifier": "b", "answer": True}]}, "terms", "several_answers"),
        ({"terms": ["math"], "shaping": [{"method": "rank", "term": "x"}]}, "shaping.0.term", "unknown_term"),
        ({"terms": ["math"], "shaping": [{"reasoning_pattern": {"by": "x"}}]}, "shaping", "unknown_term"),
        ({"terms": ["math"], "combine": {"base_and_bonus": {"base": "x"}}}, "combine", "unknown_term"),
        ({"terms": {"math": -1}, "combine": "soft_and"}, "combine", "negative_weight"),
        ({"terms": ["math", "length"]}, "terms.1", "unbounded_term"),
        ({"terms": [{"verifier": "math", "fallback": "length"}]}, "terms.0", "unbounded_term"),
        ({"terms": ["random"]}, "terms.0.verifier", "unlabelled_control"),
        ({"routes": [{"when": {"data_source": "x"}, "terms": ["length"]}]}, "routes.0.terms.0", "unbounded_term"),
        ({"terms": [{"verifier": "math", "weight": float("nan")}]}, "terms.0.weight", "finite_number"),
        ({"terms": ["math"], "shaping": ["clap"]}, "shaping.0", "union_tag_invalid"),
        ({"terms": ["math"], "shaping": [{"clip": {"low": 3}}]}, "shaping.0", "value_error"),
        ({"terms": ["math"], "shaping": [{"clip": {"love": 3}}]}, "shaping.0.love", "extra_forbidden"),
        ({"terms": ["math"], "group": {"size": 1}}, "group.size", "greater_than_equal"),
        ({"terms": ["math"], "missing": "zero"}, "missing", "literal_error"),
        ({"terms": ["math"], "name": "a/b"}, "name", "string_pattern_mismatch"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused_by_field(body: Mapping[str, object], field: str, code: str) -> None:
    with pytest.raises(InvalidRecipe) as refusal:
        parse_recipe(body, FACTS)
    assert (f"recipe.{field}", code) in {(problem.field, problem.code) for problem in refusal.value.errors}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["math", "sum", "null", "clip"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["terms", "routes", "when", "verifier", "gate", "noise", "shaping", "clip", "combine", "group"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_is_written_is_a_recipe_or_refused(value: object) -> None:
    if isinstance(value, dict):
        try:
            made = parse_recipe(value)
        except InvalidRecipe:
            return
        assert parse_recipe(made.model_dump(mode="json")) == made


@pytest.mark.parametrize("body", [{"invalid": 0}, {"shaping": [{"clip": [0, 1], "term": "length"}]}])
def test_an_unbounded_term_needs_a_price_of_invalid_or_bounds(body: Mapping[str, object]) -> None:
    assert parse_recipe({"terms": ["math", "length"], **body}).components == ("math", "length")


def test_what_the_caller_knows_of_verifiers_counts() -> None:
    with pytest.raises(InvalidRecipe, match="no bounds"):
        parse_recipe({"terms": ["reward_model"]}, {"reward_model": Facts(binary=False, bounded=False)})


def test_the_facts_of_built_in_verifiers_are_those_of_their_examples() -> None:
    for name in registry.names():
        outcomes = {example.outcome for example in registry.get(name).examples}
        if outcomes & {"partial", "scored"}:
            assert not FACTS[name].binary, name
    assert FACTS["constant"] == Facts(binary=False, bounded=False, asks=False)
    assert FACTS["length"] == FACTS["constant"]._replace(reads=("response",))
    assert FACTS["random"] == Facts(asks=False)
    assert FACTS["math"] == FACTS["random"]._replace(reads=("response", "reference"))
    assert FACTS["judge"].asks
    assert FACTS["tournament"].asks is None
    assert "nothing" not in FACTS


def test_every_built_in_recipe_survives_a_round_trip_and_has_a_hash_of_its_own() -> None:
    recipes = Library().recipes()
    assert all(parse_recipe(made.model_dump(mode="json")) == made and made.description for made in recipes)
    assert all(not check(made, FACTS) for made in recipes)
    assert len({made.hash for made in recipes}) == len(recipes)


@pytest.mark.parametrize(
    "other",
    [
        {"combine": "min"},
        {"combine": "max"},
        {"shaping": ["rank"]},
        {"shaping": ["z_score"]},
        {"group": {"rules": ["zero_variance"]}},
        {"group": {"rules": ["dynamic_sampling"]}},
        {"missing": "drop"},
        {"noise": {"audit": "a"}},
    ],
)
def test_the_hash_tells_methods_apart(other: Mapping[str, object]) -> None:
    plain = {"terms": ["math"]}
    hashes = {parse_recipe({**plain, **body}).hash for body in (other, {}, {"combine": "product"})}
    assert len(hashes) == 3


def test_a_schedule_gives_the_weight_of_a_step() -> None:
    schedule = Schedule(points=((10, 0.0), (20, 1.0)))
    assert [schedule.at(step) for step in (None, 0, 10, 15, 20, 99)] == [0, 0, 0, 0.5, 1, 1]
    assert [Schedule(points=((0, 1.0), (5, 2.0)), between="hold").at(step) for step in (4, 5)] == [1, 2]


def test_components_are_those_of_all_routes() -> None:
    made: Recipe = parse_recipe(
        {"routes": [{"when": {"data_source": "a"}, "terms": ["math"]}], "terms": ["exact", "math"]}
    )
    assert made.components == ("math", "exact")
    assert made.verifiers == ("math", "exact")
