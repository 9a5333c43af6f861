"""The page on the trainer has every loss, every estimator and each of their settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from rewards.recipe import parse_recipe
from trueward_trainer.advantages import ESTIMATORS, AdvantageConfig
from trueward_trainer.config import TrainConfig
from trueward_trainer.losses import EXPERIMENTAL, LOSSES, LossConfig

PAGE = (Path(__file__).parents[2] / "docs/rlvr.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*LOSSES.names(), *ESTIMATORS.names()])
def test_every_loss_and_every_estimator_has_a_row(name: str) -> None:
    assert f"\n| `{name}`" in PAGE


@pytest.mark.parametrize("name", [*LossConfig.model_fields, *AdvantageConfig.model_fields])
def test_every_setting_is_explained(name: str) -> None:
    assert any(line.startswith("| `") and f"`{name}`" in line for line in PAGE.splitlines())


@pytest.mark.parametrize("name", sorted(EXPERIMENTAL))
def test_what_is_experimental_is_marked(name: str) -> None:
    assert f"\n| `{name}` (experimental) |" in PAGE


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_every_configuration_on_the_page_is_one(block: str) -> None:
    """Parts of one are put to what each must have; a recipe in it is read as the service reads it."""
    least = {"model": "m", "prompts": {"file": "p"}, "service": {"recipe": "exact"}, "out": "o", "steps": 1}
    said = TrainConfig.model_validate(least | yaml.safe_load(block))
    if isinstance(said.service.recipe, dict):
        assert parse_recipe(said.service.recipe).components
