"""The benchmark of rewards: its requests are priced whole, and its short form leaves a document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.rewards import RECIPES, main, samples, verdicts
from rewards.price import price
from rewards.recipe import parse_recipe


@pytest.mark.parametrize("name", RECIPES)
def test_every_sample_of_the_load_has_a_reward(name: str) -> None:
    recipe = parse_recipe(RECIPES[name])
    batch = samples(64)
    rewards = [price(recipe, sample, said) for sample, said in zip(batch, verdicts(recipe, batch), strict=True)]
    assert all(reward.reward is not None for reward in rewards)
    assert len({reward.reward for reward in rewards}) > 1


def test_the_short_form_writes_what_it_measured(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    document = json.loads((tmp_path / "rewards.short.json").read_text())
    assert {one["recipe"] for one in document["costs"]} == set(RECIPES)
    assert len(document["aims"]) == 2
