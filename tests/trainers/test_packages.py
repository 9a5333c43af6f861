"""The packages' own code calls our plug-ins, in an environment of their own, against a live service."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.live import Service

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-trainers/bin/python"
pytestmark = pytest.mark.trainer


@pytest.fixture(scope="module")
def live(keyless: Service) -> str:
    if not PYTHON.exists():
        pytest.fail("the plug-ins' environment .venv-trainers is missing: make it with `make trainers`")
    return keyless.url


@pytest.fixture
def ran(live: str, tmp_path: Path) -> Callable[[str], Any]:
    """Runs a script of ``packages`` and reads what it prints last."""

    def run(name: str) -> Any:
        script = Path(__file__).parent / "packages" / f"{name}.py"
        # what this environment is told to search has a package ``verifiers`` that would hide prime's
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [PYTHON, script, live, tmp_path],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            cwd=tmp_path,
            env=environment,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return json.loads(done.stdout.splitlines()[-1])

    return run


def test_inspect_leaves_a_missing_score_out(ran: Callable[[str], Any]) -> None:
    report = ran("inspect_evaluation")
    assert report == {
        "name": "trueward_math",
        "scored": 2,
        "mean": 0.5,
        "outcomes": ["correct", "incorrect", "abstained"],
        "unscored": [False, False, True],
    }


def test_skyrl_steps_our_environment(ran: Callable[[str], Any]) -> None:
    right, wrong, missing = ran("skyrl_environment")
    assert [step["reward"] for step in (right, wrong, missing)] == [1.0, 0.0, 0.5]
    assert [step["metrics"]["trueward_missing"] for step in (right, wrong, missing)] == [0.0, 0.0, 1.0]
    assert right["done"]


def test_openenv_s_server_steps_environments_with_our_rubric(ran: Callable[[str], Any]) -> None:
    report = ran("openenv_environment")
    right, wrong, missing, unjudged = (1.0, True), (0.0, True), (None, True), (0.0, False)
    for way in ("step", "step_async"):
        assert [(one["reward"], one["done"]) for one in report[way]] == [right, wrong, missing, unjudged]
    assert report["most_at_once"] == 4


def test_the_cookbook_rolls_our_groups_out_and_a_missing_group_has_no_advantage(ran: Callable[[str], Any]) -> None:
    report = ran("tinker_rollout")
    assert report["rewards"][0] == [1.0, 0.0, 0.0]
    assert report["missing"] == [[0.0] * 3, [1.0] * 3]
    assert report["advantages"][0] == pytest.approx([2 / 3, -1 / 3, -1 / 3])
    assert report["advantages"][1] == [0.0] * 3
    assert report["kept"] == [0], "a group that could not be judged is left out as one without spread"
    assert report["data"] == 6


def test_prime_records_a_missing_reward_as_none_and_an_error(ran: Callable[[str], Any]) -> None:
    right, wrong, missing = ran("prime_task")
    assert right == {"rewards": {"trueward": 1.0}, "total": 1.0}
    assert wrong == {"rewards": {"trueward": 0.0}, "total": 0.0}
    assert missing["rewards"] == {"trueward": None}
    assert "no_reference" in missing["error"]


def test_prime_loads_our_taskset_and_our_judge_and_scores_by_them(ran: Callable[[str], Any]) -> None:
    report = ran("prime_taskset")
    assert report["indices"] == [0, 1, 2]
    assert [one["rewards"] for one in report["taskset"]] == [{"trueward": 1.0}, {"trueward": 0.0}, {"trueward": None}]
    assert [one["rewards"] for one in report["judge"]] == [{"maths": 0.5}, {"maths": 0.0}, {"maths": None}]
    for scored in (report["taskset"], report["judge"]):
        assert [one["metrics"]["trueward_missing"] for one in scored] == [0.0, 0.0, 1.0]
        assert ["no_reference" in one["error"] for one in scored] == [False, False, True]


def test_verl_loads_and_awaits_our_function(ran: Callable[[str], Any]) -> None:
    results = ran("verl_manager")
    assert [result["reward_score"] for result in results] == [1.0, 0.0, 0.5]
    extras = [result["reward_extra_info"] for result in results]
    assert {tuple(extra) for extra in extras} == {
        ("score", "acc", "trueward_outcome", "trueward_missing", "trueward_component_math")
    }
    assert [extra["trueward_missing"] for extra in extras] == [0.0, 0.0, 1.0]


def test_verl_loads_the_drop_in_by_its_package_path(
    ran: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verifiers come from this environment; the trainer's own has prime's package of that name."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT}:{ROOT}/client/src exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv("TRUEWARD_PYTHON", str(python))
    right, wrong, missing = ran("verl_drop_in")
    assert [right["reward_score"], wrong["reward_score"], missing["reward_score"]] == [1.0, 0.0, 0.5]
    assert missing["reward_extra_info"]["trueward_missing"] == 1.0


def test_verl_s_reward_manager_asks_for_a_prompt_s_samples_together(ran: Callable[[str], Any]) -> None:
    report = ran("verl_grouping")
    scores = [one["reward_score"] for one in report["a"]]
    assert scores == [pytest.approx(2 / 3, abs=2**-12), 1.0, 1.0, 0.0]
    assert abs(advantages(scores)[0]) < 0.05
    lost = [one["reward_score"] for one in report["b"]]
    assert [one["reward_extra_info"]["trueward_missing"] for one in report["b"]] == [1.0] * 4
    assert max(abs(advantage) for advantage in advantages(lost)) < 0.05
    assert [report[name]["reward_score"] for name in ("evaluated", "late")] == [1.0, 1.0]
    assert "set reward.num_workers=1" in report["refused"]


def advantages(scores: list[float]) -> list[float]:
    """GRPO's, as verl computes them."""
    mean = statistics.fmean(scores)
    return [(score - mean) / (statistics.stdev(scores) + 1e-6) for score in scores]


def test_openrlhf_gets_the_same_from_a_file_and_over_http(ran: Callable[[str], Any]) -> None:
    report = ran("openrlhf_executor")
    assert report["file"] == report["http"]
    assert [answer["rewards"] for answer in report["file"]] == [[1.0], [0.0], [0.5]]
    assert [answer["extra_logs"]["trueward_missing"] for answer in report["file"]] == [[0.0], [0.0], [1.0]]


def test_eval_protocol_keeps_a_number_that_is_fair_to_a_missing_score(ran: Callable[[str], Any]) -> None:
    """Its client forgets ``is_score_valid`` of the answer: what stays is the mean, 0.5."""
    report = ran("eval_protocol_client")
    assert report["scores"] == [1.0, 0.0, 0.5]
    assert report["metrics"] == [True, True, False]
    assert report["reasons"][2] == "no_reference"
    assert report["refused"] == "HTTPError"


def test_fireworks_rows_say_that_a_missing_score_is_not_valid(ran: Callable[[str], Any]) -> None:
    report = ran("fireworks_rows")
    results = report["results"]
    assert [result["score"] for result in results] == [1.0, 0.0, 0.5]
    assert [result["is_score_valid"] for result in results] == [True, True, False]
    assert [result["metrics"]["math"]["is_score_valid"] for result in results] == [True, True, False]
    assert results[2]["error"] == "abstained: no_reference"
    assert "do not end with one of the assistant's" in report["refused"]


def test_prime_s_client_of_nemo_gym_keeps_a_number_that_is_fair_to_a_missing_score(ran: Callable[[str], Any]) -> None:
    right, wrong, missing = ran("prime_nemo_gym")
    assert right == {"reward": 1.0, "outcome": "correct"}
    assert wrong == {"reward": 0.0, "outcome": "incorrect"}
    assert missing == {"reward": 0.5, "outcome": "abstained"}


def test_verl_s_client_of_a_sandbox_scores_programs(ran: Callable[[str], Any]) -> None:
    """Right, wrong, one that leaves silently, one that never ends, none."""
    assert ran("verl_sandbox") == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_areal_pays_no_missing_reward_and_no_right_answer_0(ran: Callable[[str], Any]) -> None:
    """Its own wrapper pickles our function at every call into its pool; its own workflow awaits ours."""
    report = ran("areal_pool")
    pool, flow = report["pool"]["paid"], report["workflow"]["paid"]
    assert [{*pool[kind]} for kind in ("right", "wrong", "missing")] == [{"1.0"}, {"0.0"}, {"raised"}]
    assert [{*flow[kind]} for kind in ("right", "wrong", "missing")] == [{"1.0"}, {"0.0"}, {"masked"}]
    assert report["workflow"]["greatest_advantage"] < 0.05
