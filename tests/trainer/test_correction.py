"""Weights of tokens that another policy sampled, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.trainer.tensors import slope, some, tensor
from tests.trainer.toys import config, experience
from trueward_trainer.config import SamplerCorrection
from trueward_trainer.correction import weights
from trueward_trainer.losses import LOSSES
from trueward_trainer.policy import Policy
from trueward_trainer.update import Updater

RATIOS = [1.0, 1.5, 3.0, 0.5, 0.25]
OLD = tensor([[-1.0] * 5, [-2.0] * 5])
SAMPLED = tensor([[-1.0 - math.log(ratio) for ratio in RATIOS], [math.nan, -2.0, -9.0, -2.0 - math.log(4), -2.0]])
MASK = tensor([[1, 1, 1, 1, 1], [1, 1, 0, 1, 0]])


def test_ratios_are_cut_at_the_cap() -> None:
    found, metrics = weights(OLD, SAMPLED, MASK, SamplerCorrection(kind="truncate", cap=2.0))
    assert found.tolist() == [pytest.approx([1.0, 1.5, 2.0, 0.5, 0.25]), pytest.approx([1.0, 1.0, 1.0, 2.0, 1.0])]
    assert metrics["sampler_outside"] == pytest.approx(2 / 7)
    assert metrics["sampler_unknown"] == pytest.approx(1 / 8)
    assert metrics["sampler_weight"] == pytest.approx((1 + 1.5 + 2 + 0.5 + 0.25 + 1 + 2) / 7)


def test_masked_tokens_outside_of_the_window_drop_out() -> None:
    found, metrics = weights(OLD, SAMPLED, MASK, SamplerCorrection(kind="mask", cap=2.0))
    assert found.tolist() == [pytest.approx([1.0, 1.5, 0.0, 0.5, 0.0]), pytest.approx([1.0, 1.0, 1.0, 0.0, 1.0])]
    assert metrics["sampler_outside"] == pytest.approx(3 / 7)


@pytest.mark.parametrize("name", sorted(set(LOSSES.names()) - {"real"}))
def test_a_weight_of_a_token_multiplies_its_gradient(name: str) -> None:
    logp, sampled = some()
    weight = torch.rand(sampled.mask.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    _, plain = slope(LOSSES.get(name), logp, sampled)
    _, weighted = slope(LOSSES.get(name), logp, replace(sampled, weight=weight))
    torch.testing.assert_close(weighted, plain * weight)


def test_an_update_weighs_what_the_sampler_said_otherwise(tmp_path: Path) -> None:
    """The toys' sampler says -2 for every token; what the policy thinks is something else."""
    said = config(tmp_path, update={"sampler_correction": {"kind": "mask", "cap": 1.0001}})
    learnt = Updater(said, Policy(said)).learn(experience([[1.0, 0.0, 0.0, 1.0]]), 0)
    assert learnt.metrics["sampler_outside"] == 1
    assert learnt.metrics["grad_norm"] == 0
    assert learnt.metrics["sampler_gap"] > 0.01


def test_where_the_sampler_tells_nothing_no_gap_is_told(tmp_path: Path) -> None:
    said, seen = config(tmp_path), experience([[1.0, 0.0, 0.0, 1.0]])
    untold = [replace(one, logprobs=[math.nan] * len(one.logprobs)) for one in seen.groups[0].responses]
    seen = replace(seen, groups=[replace(seen.groups[0], responses=untold)])
    assert "sampler_gap" not in Updater(said, Policy(said)).learn(seen, 0).metrics
