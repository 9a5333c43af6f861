"""A run that is followed into each store, read back by the store's own package: in an environment of their own.

What the policy, the trainer and the recipe wrote is hostile: it must be there as text, and nowhere else.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.live import Service
from trueward import Client

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-sinks/bin/python"
RUN = "../../a run\x1b[2J/of <b>sinks</b>"
HOSTILE = "\x1b]0;owned\x07# heading\n<script>alert(1)</script> ../../etc"
pytestmark = pytest.mark.sink
Ran = Callable[..., str]


@pytest.fixture(scope="module")
def url(keyless: Service) -> str:
    """A service with a run of three steps, and one alarm of it."""
    if not PYTHON.exists():
        pytest.fail("the sinks' environment .venv-sinks is missing: make it with `make sinks`")
    with Client(keyless.url) as client:
        for step in range(3):
            samples = [
                {
                    "prompt": f"{n // 4}? {HOSTILE}",
                    "response": f"{n} {HOSTILE} \\boxed{{{n % 2}}}",
                    "group": str(n // 4),
                }
                | ({} if n % 8 == 3 else {"reference": "1"})
                for n in range(64)
            ]
            client.reward(samples, recipe={"terms": [{"verifier": "math", "name": "math"}]}, run=RUN, step=step)
    _watched(keyless.url)
    return keyless.url


def _watched(url: str) -> None:
    """Returns when a watch has found how many references are missing."""
    with httpx2.Client(base_url=f"{url}/v1/", timeout=60.0, trust_env=False) as http:
        http.put("watches/of-sinks", json={"run": RUN, "every_s": 1, "action": "alarm"}).raise_for_status()
        for _ in range(240):
            if http.get("alarms", params={"run": RUN}).json()["alarms"]:
                break
            time.sleep(0.25)
        http.delete("watches/of-sinks").raise_for_status()


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    """Runs something with the sinks' packages, in a folder of its own, and gives what it printed."""

    def run(*arguments: str) -> str:
        # what this environment is told to search holds packages of the service
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "XDG_STATE_HOME": str(tmp_path / "state")}
        environment |= {"PYTHONPATH": str(ROOT / "client/src"), "MLFLOW_DISABLE_TELEMETRY": "true"}
        done = subprocess.run(
            [PYTHON, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def followed(ran: Ran, url: str, sink: str) -> str:
    where = ("--sink", sink, "--once", "--settle-s", "0", "--samples", "4")
    return ran("-m", "trueward.cli", "runs", "follow", RUN, "--url", url, *where)


def read(ran: Ran, name: str, *arguments: str) -> Any:
    return json.loads(ran(str(Path(__file__).parent / "stores" / name), *arguments).splitlines()[-1])


def test_tensorboard_has_every_step_once_and_texts_as_code(ran: Ran, url: str, tmp_path: Path) -> None:
    for _ in range(2):
        followed(ran, url, f"tensorboard:{tmp_path / 'events'}")
    said = read(ran, "read_tensorboard.py", str(tmp_path / "events"))
    assert said["reward"] == [[step, pytest.approx(3 / 7)] for step in range(3)]
    assert said["missing/no_reference"] == [[step, 0.125] for step in range(3)]
    texts = said["samples/text_summary"]
    assert [step for step, _ in texts] == [0, 1, 2]
    assert all(line.startswith("    ") for _, text in texts for line in text.splitlines() if line)
    assert "<script>alert(1)</script>" in texts[0][1]
    assert "\x1b" not in texts[0][1]
    assert len(said["alarms/text_summary"]) == 1
    assert "missing, mostly no_reference, is 12.5%" in said["alarms/text_summary"][0][1]
    assert {path.parent.parent for path in tmp_path.rglob("events.out.*")} == {tmp_path / "events"}


def test_tensorboard_keeps_what_was_written_a_moment_ago(ran: Ran, tmp_path: Path) -> None:
    """A follower that starts again within a second has a file of its own."""
    ran(str(Path(__file__).parent / "stores" / "write_tensorboard.py"), str(tmp_path / "events"))
    said = read(ran, "read_tensorboard.py", str(tmp_path / "events"))
    assert sorted(said["reward"]) == [[0, 0.5], [1, 0.5], [2, 0.5]]


def test_mlflow_has_one_run_with_every_step_once(ran: Ran, url: str, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'mlflow.db'}"
    for _ in range(2):
        followed(ran, url, f"mlflow:{store}")
    said = read(ran, "read_mlflow.py", store)
    assert said["metrics"]["reward"] == [[step, pytest.approx(3 / 7)] for step in range(3)]
    assert said["metrics"]["component/math"] == said["metrics"]["reward"]
    assert said["files"] == [f"samples/step-{step:09d}.json" for step in range(3)]
    assert {row["outcome"] for row in said["rows"]} <= {"correct", "incorrect", "abstained"}
    assert all("\x1b" not in row["response"] for row in said["rows"])
    assert "\x1b" not in said["tags"]["mlflow.runName"]
    assert said["tags"]["trueward.verifiers"].startswith('{"math"')
    assert len([name for name in said["tags"] if name.startswith("trueward.alarm.")]) == 1
    assert said["status"] == "FINISHED"


def test_weights_and_biases_has_the_history_and_tables_offline(ran: Ran, url: str, tmp_path: Path) -> None:
    followed(ran, url, "wandb:of-ours")
    said = read(ran, "read_wandb.py", str(tmp_path / "state"))
    steps = {row["_step"]: row for row in said["history"]}
    assert sorted(steps) == [0, 1, 2]
    assert [steps[step]["reward"] for step in range(3)] == [pytest.approx(3 / 7)] * 3
    (run,) = {json.dumps(one) for one in said["runs"]}
    assert json.loads(run)["project"] == "of-ours"
    assert "/" not in json.loads(run)["id"]
    assert [title.startswith("missing in ") for title, _ in said["alerts"]] == [True]
    assert "\x1b" not in said["alerts"][0][0]
    assert len(said["tables"]) == 3
    assert said["tables"][0]["columns"] == [
        "record",
        "outcome",
        "reward",
        "reason_code",
        "reason",
        "prompt",
        "response",
    ]
    assert len(said["tables"][0]["data"]) == 4


def test_opentelemetry_has_gauges_and_evaluation_results(ran: Ran, url: str, tmp_path: Path) -> None:
    said = read(ran, "keep_opentelemetry.py", url, RUN, str(tmp_path))
    assert said["gauges"]["trueward.run.step"]["value"] == 2.0
    assert said["gauges"]["trueward.run.missing"]["value"] == 0.125
    assert "\x1b" not in said["gauges"]["trueward.run.reward"]["attributes"]["trueward.run"]
    (alarm,) = [one for one in said["logs"] if one["event_name"] == "trueward.alarm"]
    assert (alarm["attributes"]["trueward.signal"], alarm["severity_text"] or alarm["severity_number"]) == (
        "missing",
        13,
    )
    results = [one for one in said["logs"] if one["event_name"] == "gen_ai.evaluation.result"]
    assert len(results) == 12
    # records of one request are in no order, so the first one may be that without a score
    scored = next(
        one["attributes"] for one in results if one["attributes"]["gen_ai.evaluation.score.label"] != "abstained"
    )
    record = httpx2.get(f"{url}/v1/verdicts/{scored['gen_ai.response.id']}", trust_env=False).json()
    assert scored["gen_ai.evaluation.score.value"] == record["reward"]["reward"]
    assert scored["gen_ai.evaluation.score.label"] == record["reward"]["outcome"]
    assert HOSTILE[:4] not in json.dumps(results)
    missing = [
        one["attributes"] for one in results if one["attributes"]["gen_ai.evaluation.score.label"] == "abstained"
    ]
    assert all("gen_ai.evaluation.score.value" not in one for one in missing)
