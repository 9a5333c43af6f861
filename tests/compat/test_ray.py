"""The drop-ins in actors of a real Ray, in the environment of its tests: the same verdicts, and what hangs is ended."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-ray/bin/python"


@pytest.mark.trainer
def test_actors_judge_side_by_side_and_a_comparison_that_hangs_is_priced(tmp_path: Path) -> None:
    if not PYTHON.exists():
        pytest.fail("the environment with Ray .venv-ray is missing: make it with `make ray`")
    done = subprocess.run(
        [PYTHON, Path(__file__).with_name("ray_actor.py")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client/src'}"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["equal"] == [True, True, False] * 2
    scores = report["scores"]
    assert [score["score"] for score in scores] == [1.0, 0.0, 0.0] * 2
    assert {score["trueward_missing"] for score in scores} == {0.0}
    assert [scores[place]["trueward_outcome"] for place in (2, 5)] == [4.0, 4.0]  # invalid: the response's doing
