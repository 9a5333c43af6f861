"""Client and command against the real service, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.live import run
from trueward import Client
from trueward.client.chunk import Limits
from trueward.client.plan import verify_plan
from trueward.errors import NotFound, RunPinned, UnknownRecipe, UnknownVerifier

COMMAND = Path(sys.executable).with_name("trueward")
SAMPLES = [
    {"prompt": f"{index // 4}+1?", "response": f"so \\boxed{{{index % 3}}}", "reference": "1"} for index in range(60)
]


@pytest.fixture
def url(live: str) -> str:
    return live


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(url, chunk_samples=16) as client:
        yield client


def test_verdicts_in_order(client: Client) -> None:
    verdicts = client.verify(SAMPLES, verifier="math", deadline_s=60)
    assert [verdict.id for verdict in verdicts] == [str(index) for index in range(60)]
    assert [verdict.score for verdict in verdicts] == [0.0, 1.0, 0.0] * 20
    assert len({verdict.record for verdict in verdicts}) == 60


def test_rewards_of_whole_groups(client: Client) -> None:
    answer = client.reward(SAMPLES, recipe="math")
    assert [reward.reward for reward in answer.rewards] == [0.0, 1.0, 0.0] * 20
    assert [group.size for group in answer.groups] == [4] * 15


def test_a_call_that_is_sent_again_records_nothing_twice(client: Client, url: str) -> None:
    plan = verify_plan(SAMPLES[:8], "math", None, {"run": "again"}, Limits())
    (call,) = plan.calls
    first, second = client.call(call), client.call(call)
    assert [verdict.record for verdict in first] == [verdict.record for verdict in second]
    assert len(httpx2.get(f"{url}/v1/verdicts", params={"run": "again"}).json()["verdicts"]) == 8


def test_a_job(client: Client) -> None:
    job = client.submit(SAMPLES, recipe="math", run="job")
    state = job.wait(timeout_s=120)
    assert (state.state, state.done, state.total) == ("completed", 60, 60)
    assert [result.id for result in job.results()] == [str(index) for index in range(60)]


def test_the_small_calls(client: Client) -> None:
    assert client.health().ready
    assert "math" in [info.name for info in client.verifiers()]
    client.reward(SAMPLES[:1], recipe="math", run="small/ run?")
    assert "small/ run?" in [run.id for run in client.runs(limit=1000)]


def test_errors_of_the_tree(client: Client) -> None:
    with pytest.raises(UnknownVerifier):
        client.verify([{}], verifier="nope")
    with pytest.raises(UnknownRecipe):
        client.reward([{}], recipe="nope")
    with pytest.raises(NotFound):
        client.run("nope")
    with pytest.raises(NotFound):
        client.job("nope").status()
    client.reward(SAMPLES[:1], recipe="math", run="pinned")
    with pytest.raises(RunPinned):
        client.reward(SAMPLES[:1], recipe={"terms": [{"verifier": "exact"}]}, run="pinned")


def test_surrogates_and_an_empty_batch(client: Client) -> None:
    assert client.verify([], verifier="math") == []
    assert client.verify([{"response": "\ud800\x00", "reference": "1"}], verifier="exact")[0].score == 0.0


def test_the_command_through_the_service_and_in_process_agree(url: str) -> None:
    stdin = "".join(json.dumps(sample) + "\n" for sample in SAMPLES)
    outputs = []
    for options in (["--url", url], []):
        done = subprocess.run(
            [COMMAND, "verify", "--verifier", "math", "--file", "-", *options],
            input=stdin, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        outputs.append([(row["id"], row["score"], row["reason"]) for row in map(json.loads, done.stdout.splitlines())])
    assert outputs[0] == outputs[1]


def test_the_example_of_the_readme() -> None:
    done = subprocess.run(
        [COMMAND, "verify", "--verifier", "math", "--response", "\\frac12", "--reference", "0.5"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("correct")


def test_doctor_db_and_keys(url: str, tmp_path: Path) -> None:
    assert run("doctor", "--url", url).returncode == 0
    assert "upgrade" in run("db", "--help").stdout
    assert run("db", "upgrade", "--data-dir", str(tmp_path)).returncode == 0
    assert run("keys", "create", "trainer", "--scope", "score", "--data-dir", str(tmp_path)).stdout.startswith("tw_")
    assert "trainer" in run("keys", "list", "--data-dir", str(tmp_path)).stdout
    assert run("keys", "create").returncode == 2
    for wrong in (["keys", "create", "x", "--scope", "all"], ["db", "downgrade", "none"]):
        refused = run(*wrong, "--data-dir", str(tmp_path))
        assert refused.returncode == 2
        assert "Traceback" not in refused.stderr
