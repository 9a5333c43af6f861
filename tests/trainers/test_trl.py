"""TRL's own GRPOTrainer, in an environment of its own, trains against a live service through our function."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.live import Service

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-trl/bin/python"
SCRIPT = Path(__file__).with_name("grpo.py")
pytestmark = pytest.mark.trainer


@pytest.fixture(scope="module")
def trained(keyless: Service, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the training script reports, and the service's ledger of the run."""
    if not PYTHON.exists():
        pytest.fail("the trainers' environment .venv-trl is missing: make it with `make trl`")
    directory = tmp_path_factory.mktemp("trl")
    done = subprocess.run(
        [PYTHON, SCRIPT, keyless.url, directory], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    ledger = httpx2.get(f"{keyless.url}/v1/verdicts", params={"run": "grpo-test", "limit": 1000}).json()
    return json.loads(done.stdout.splitlines()[-1]), ledger["verdicts"]


def test_three_steps_change_parameters(trained: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    report, _ = trained
    assert report["steps"] == 3
    assert report["changed"]


def test_rewards_differ_within_a_group_and_so_do_advantages(
    trained: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    groups = defaultdict(set)
    for row in trained[0]["completions"]:
        groups[row["step"], row["prompt"]].add((row["trueward_math"], row["advantage"] > 0))
    assert any({(0.0, False), (1.0, True)} <= found for found in groups.values())


def test_rewards_are_those_of_the_task(trained: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    for row in trained[0]["completions"]:
        left, right = row["prompt"].removesuffix("=?").split("+")
        right_answer = str((int(left) + int(right)) % 10)
        assert row["trueward_math"] == float(row["completion"] == right_answer), row
        assert (row["trueward_outcome"] == "correct") == (row["trueward_math"] == 1.0)


def test_trl_logs_the_share_of_missing_rewards(trained: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    assert {"trueward/missing", "rewards/trueward_math/mean"} <= set(trained[0]["logged"])


def test_the_ledger_knows_run_step_and_split(trained: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    report, ledger = trained
    train = [record for record in ledger if record["split"] == "train"]
    assert {record["step"] for record in train} == {0, 1, 2}
    assert {record["split"] for record in ledger} == {"train", "eval"}
    assert len(train) == len([row for row in report["completions"] if row["step"] < 4]) == 3 * 64
