"""Our losses and TRL's own, on the same tensors: the same number and the same gradient."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.trainer.tensors import slope, some
from trueward_trainer.losses import LOSSES, LossConfig

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-trl/bin/python"
SCRIPT = Path(__file__).with_name("trl_losses.py")
pytestmark = pytest.mark.trainer

WINDOW: dict[str, Any] = {"epsilon": 0.2, "epsilon_high": 0.2}
PLAIN = {"importance_sampling_level": "token", "beta": 0.0, "use_bias_correction_kl": False}
CASES: dict[str, tuple[str, LossConfig, dict[str, Any]]] = {
    "grpo": ("grpo", LossConfig(), {"loss_type": "grpo", **PLAIN, **WINDOW}),
    "grpo with KL": ("grpo", LossConfig(kl=0.3), {"loss_type": "grpo", **PLAIN, **WINDOW, "beta": 0.3}),
    "grpo with KL by the ratio": (
        "grpo",
        LossConfig(kl=0.3, kl_by_ratio=True),
        {"loss_type": "grpo", **PLAIN, **WINDOW, "beta": 0.3, "use_bias_correction_kl": True},
    ),
    "dr_grpo": (
        "dr_grpo",
        LossConfig(max_length=40),
        {"loss_type": "dr_grpo", **PLAIN, **WINDOW, "max_completion_length": 40},
    ),
    "dapo": ("dapo", LossConfig(), {"loss_type": "dapo", **PLAIN, "epsilon": 0.2, "epsilon_high": 0.28}),
    "bnpo": ("ppo", LossConfig(), {"loss_type": "bnpo", **PLAIN, **WINDOW}),
    "gspo": (
        "gspo",
        LossConfig(clip_low=0.05, clip_high=0.05),
        {"loss_type": "grpo", **PLAIN, "importance_sampling_level": "sequence", "epsilon": 0.05, "epsilon_high": 0.05},
    ),
    "cispo": (
        "cispo",
        LossConfig(cispo_clamp="cap", cispo_cap=1.2),
        {"loss_type": "cispo", **PLAIN, "epsilon_high": 1.2},
    ),
    "cispo with KL": (
        "cispo",
        LossConfig(cispo_clamp="cap", kl=0.1),
        {"loss_type": "cispo", **PLAIN, "epsilon_high": 5.0, "beta": 0.1},
    ),
    "sapo": ("sapo", LossConfig(), {"loss_type": "sapo", **PLAIN}),
}


@pytest.fixture(scope="module")
def tensors() -> dict[str, torch.Tensor]:
    """In float32, as TRL has them; one advantage a response; outside the mask zeros, for TRL multiplies by it."""
    logp, sampled = some(3)
    gains = torch.tensor([1.5, -0.5, -1.0, 0.7, 0.0, -0.7])
    raw = {"logp": logp, "logp_old": sampled.logp_old, "logp_ref": sampled.logp_ref, "mask": sampled.mask}
    filled = {name: value.nan_to_num(0.0).float() for name, value in raw.items() if value is not None}
    return {**filled, "advantages": gains}


@pytest.fixture(scope="module")
def theirs(tensors: dict[str, torch.Tensor], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not PYTHON.exists():
        pytest.fail("the trainers' environment .venv-trl is missing: make it with `make trl`")
    given = {name: value.tolist() for name, value in tensors.items()}
    given["cases"] = {name: settings for name, (_, _, settings) in CASES.items()}
    done = subprocess.run(
        [PYTHON, SCRIPT, tmp_path_factory.mktemp("trl")],
        input=json.dumps(given),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    shown: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return shown


@pytest.mark.parametrize("case", CASES)
def test_the_loss_and_its_gradient_are_those_of_trl(
    case: str, tensors: dict[str, torch.Tensor], theirs: dict[str, Any]
) -> None:
    name, config, _ = CASES[case]
    sampled = replace(
        some(3)[1],
        mask=tensors["mask"],
        logp_old=tensors["logp_old"],
        logp_ref=tensors["logp_ref"],
        advantages=tensors["advantages"][:, None].expand(tensors["mask"].shape),
    )
    loss, gradient = slope(LOSSES.get(name), tensors["logp"], sampled, config)
    assert loss == pytest.approx(theirs[case]["loss"], rel=1e-5)
    assert theirs[case]["loss"] != 0
    torch.testing.assert_close(gradient, torch.tensor(theirs[case]["gradient"]), rtol=1e-5, atol=1e-7)
