"""Every combination and group rule computed a second time, with numpy, from its paper's formula, through recipes."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from pydantic import JsonValue

from rewards.conditions import Conditions
from rewards.parts import AnyCombination, AnyRule
from rewards.state import State
from tests.rewards.formulas import CLOSE, SEEDS, Array, logistic, numbers
from tests.rewards.situation import NO, YES, members, recipe, scored, settled

# Combinations: of three terms, with weights


def ordered(values: Array) -> Array:
    """Digits to base 101, the first the largest, as a share of the largest number."""
    digits = np.rint(np.clip(values, 0, 1) * 100)
    return np.asarray(digits @ 101.0 ** np.arange(values.shape[1])[::-1] / (101.0 ** values.shape[1] - 1))


def standardised(column: Array) -> Array:
    return np.zeros(len(column)) if np.ptp(column) == 0 else (column - column.mean()) / (column.std(ddof=1) + 1e-6)


WEIGHTS = np.array([1.5, 0.4, 0.2])
Combined = Callable[[Array], Array]
COMBINED: list[tuple[dict[str, JsonValue], Combined]] = [
    ({"method": "sum"}, lambda v: v @ WEIGHTS),
    ({"method": "weighted_mean"}, lambda v: v @ WEIGHTS / WEIGHTS.sum()),
    ({"method": "product"}, lambda v: (v * WEIGHTS).prod(1)),
    ({"method": "min"}, lambda v: (v * WEIGHTS).min(1)),
    ({"method": "max"}, lambda v: (v * WEIGHTS).max(1)),
    ({"method": "soft_and"}, lambda v: np.log(logistic(v)) @ WEIGHTS),
    ({"method": "lexicographic"}, ordered),
    (
        {"method": "base_and_bonus", "base": "a", "weight": 0.7},
        lambda v: 1.5 * v[:, 0] * (1 + 0.7 * np.clip(v[:, 1:] @ WEIGHTS[1:] / 0.6, 0, 1)),
    ),
    (
        {"method": "base_and_bonus", "base": "a", "form": "mix"},
        lambda v: 1.5 * v[:, 0] * (0.6 + 0.4 * np.clip(v[:, 1:] @ WEIGHTS[1:] / 0.6, 0, 1)),
    ),
    (
        {"method": "base_and_bonus", "base": "a", "form": "product"},
        lambda v: 1.5 * v[:, 0] * np.clip(v[:, 1:] @ WEIGHTS[1:] / 0.6, 0, 1),
    ),
    (
        {"method": "penalised", "base": "a"},
        lambda v: 1.5 * v[:, 0] * np.where(v[:, 0] > 0, (1 - np.clip(v[:, 1:] * WEIGHTS[1:], 0, 1)).prod(1), 1),
    ),
    ({"method": "mo_grpo"}, lambda v: np.column_stack([standardised(one) for one in v.T]) @ WEIGHTS),
]


@pytest.mark.parametrize(
    ("params", "formula"),
    COMBINED,
    ids=lambda one: str(one.get("form", one["method"])) if isinstance(one, dict) else "",
)
def test_a_combination_is_its_formula(params: dict[str, JsonValue], formula: Combined) -> None:
    terms = [{"verifier": "label", "name": name, "weight": weight} for name, weight in zip("abc", WEIGHTS, strict=True)]
    made = recipe(terms=terms, combine=params, range=[-1000, 1000], invalid=-1000)
    for seed in SEEDS:
        worths = np.random.default_rng(seed).normal(0.5, 0.6, (5, 3))
        said = [{name: scored(float(one)) for name, one in zip("abc", row, strict=True)} for row in worths]
        found = numbers(settled(made, members(made, said)).rewards)
        assert np.abs(found - formula(worths)).max() < CLOSE


# Rules: whether a group is kept, by its success rate, its rewards and their spread, and how often a response is drawn


Ruled = Callable[[Array, Array], bool]
RULED: list[tuple[dict[str, JsonValue], Ruled]] = [
    ({"rule": "dynamic_sampling"}, lambda r, right: bool(0 < right.mean() < 1)),
    ({"rule": "accuracy_band", "low": 0.3, "high": 0.6}, lambda r, right: bool(0.3 <= right.mean() <= 0.6)),
    ({"rule": "zero_variance"}, lambda r, right: bool(np.ptp(r) > 0)),
    ({"rule": "one_sided", "limit": 0.4}, lambda r, right: bool(abs(r.mean()) <= 0.4)),
    ({"rule": "std_filter"}, lambda r, right: bool(r.std(ddof=1) >= 0.5 * 0.6)),
]
BY_THEMSELVES = {"policy_filtration", "semi_supervised"}
"""Rules with tests of their own below."""


def ruled(
    params: dict[str, JsonValue], right: Array, conditions: Conditions, low: float = 0.0
) -> tuple[bool, list[float] | None]:
    shaping = [{"affine": {"scale": 1 - low, "offset": low}}]
    made = recipe(group={"rules": [params]}, shaping=shaping, range=[-2, 2])
    done = settled(made, members(made, [{"math": YES if one else NO} for one in right]), conditions)
    assert done.group.kept is not None
    return done.group.kept, done.group.draw


@pytest.mark.parametrize(
    ("params", "formula"), RULED, ids=lambda one: str(one["rule"]) if isinstance(one, dict) else ""
)
def test_a_rule_keeps_what_its_formula_keeps(params: dict[str, JsonValue], formula: Ruled) -> None:
    conditions = Conditions(state=State(averages={"std_filter": 0.6}))
    seen = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        right = (rng.random(rng.integers(2, 9)) < rng.choice([0.05, 0.3, 0.5, 0.95])).astype(float)
        rewards = np.where(right == 1, 1.0, -0.3)
        kept, _ = ruled(params, right, conditions, low=-0.3)
        assert kept == formula(rewards, right), f"seed {seed}"
        seen.add(kept)
    assert seen == {True, False}


@pytest.mark.parametrize("form", ["pow", "max_min", "max_random"])
def test_responses_are_drawn_by_the_formula(form: str) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        r = np.round(rng.normal(size=6), 1)
        made = recipe(terms=["label"], group={"rules": [{"rule": "policy_filtration", "form": form}]}, range=[-9, 9])
        drawn = settled(made, members(made, [{"label": scored(float(one))} for one in r])).group.draw
        extreme = (r == r.max()) | (r == r.min())
        weight = {
            "pow": r**2 / np.abs(r).max() ** 2,
            "max_min": extreme.astype(float),
            "max_random": np.where(r == r.max(), 0.4, 0.1),
        }[form] + 1e-8
        assert drawn is not None
        assert np.abs(np.array(drawn) - weight / weight.sum()).max() < CLOSE


def test_semi_supervised_keeps_by_the_correlation_of_histories() -> None:
    seen = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        labelled = np.cumsum(rng.random(6)) / 6
        history = np.clip(rng.choice([-1.0, 1.0]) * labelled[1:] + rng.normal(0, 0.3, 5) + 0.5, 0, 1)
        conditions = Conditions(histories={"g": history.tolist()}, labelled_history=labelled.tolist())
        kept, _ = ruled({"rule": "semi_supervised"}, np.array([1.0, 0.0]), conditions)
        assert kept == bool(np.corrcoef(history, labelled[1:])[0, 1] >= 0.5)
        seen.add(kept)
    assert seen == {True, False}


def test_no_combination_and_no_rule_is_left_out() -> None:
    combinations = {one.model_fields["method"].annotation for one in get_args(get_args(AnyCombination)[0])}
    assert {get_args(one)[0] for one in combinations} == {params["method"] for params, _ in COMBINED}
    rules = {one.model_fields["rule"].annotation for one in get_args(get_args(AnyRule)[0])}
    assert {get_args(one)[0] for one in rules} == {params["rule"] for params, _ in RULED} | BY_THEMSELVES
