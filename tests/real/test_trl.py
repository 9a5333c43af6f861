"""TRL's own GRPOTrainer trains a real language model with rewards of the service."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from trueward import Client
from trueward_trainer.example import write_example

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-trl" / "bin" / "python"
SCRIPT = Path(__file__).with_name("grpo_sums.py")
STEPS = 2
pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def report(client: Client, smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("grpo")
    train = write_example(folder / "sums", str(smollm), client.url).with_name("train.jsonl")
    command: list[str | Path] = [PYTHON, SCRIPT, client.url, smollm, train, folder, str(STEPS)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_every_completion_is_paid_what_its_sum_is_worth(report: dict[str, Any]) -> None:
    assert len(report["completions"]) == STEPS * report["a_step"]
    for row in report["completions"]:
        first, second = map(int, re.findall(r"(\d+) \+ (\d+) =$", row["prompt"])[0])
        said = re.match(r"\s*(\d+)(?!\d)", row["completion"])
        if row["trueward_math"] == 1.0:
            assert str(first + second) in row["completion"], row
        elif said is not None and re.fullmatch(r"\s*\d+\s*", row["completion"]):
            assert int(said[1]) != first + second, row


def test_each_step_learns_and_nothing_is_missing(report: dict[str, Any]) -> None:
    assert report["steps"] == STEPS
    for line in report["logged"]:
        assert line["trueward/missing"] == 0
        assert line["grad_norm"] > 0 or line["frac_reward_zero_std"] == 1


def test_the_ledger_has_the_run(client: Client, report: dict[str, Any]) -> None:
    rows = list(client.iter_rewards(run=report["run"]))
    assert len(rows) == STEPS * report["a_step"]
    assert {row.step for row in rows} == set(range(STEPS))
