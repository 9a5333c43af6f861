"""A reward model and a process reward model that are trained on the spot from a run's labels, and then asked.

The trunk and the tokenizer are SmolLM2's, and the scripts are those of ``examples/own_models``, run by a trainer's
environment. The material is our own and easy (a reason is given, or not), so it says that all of the way works and
nothing of how good such a model is: that is ``benchmarks.own_models``, on what people labelled.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue
from typer.testing import CliRunner

from tests.judges.tiny import pairs
from trueward import Client, Sample, cli
from trueward.wire.model import ModelEntry, StepReading

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-trl" / "bin" / "python"
EXAMPLES = ROOT / "examples" / "own_models"
RUN = "own-models"
SEPARATOR = "<file_sep>"
pytestmark = pytest.mark.real


def response(question: tuple[str, str, str], wrong: int | None) -> str:
    """Three steps; one of them gives no reason."""
    return "\n\n".join(question[2] if place == wrong else question[1] for place in range(3))


@pytest.fixture(scope="module")
def run(client: Client) -> str:
    """Labelled: of each prompt a right response and a wrong one, whose note says where."""
    samples, labels = [], []
    for number, question in enumerate(pairs(48, seed=1)):
        for wrong in (None, number % 3):
            samples.append(Sample(prompt=f"{number}. {question[0]}", response=response(question, wrong)))
            labels.append((wrong is None, "" if wrong is None else f"step {wrong + 1} gives no reason"))
    verdicts = client.verify(samples, verifier="length", run=RUN)
    said = zip(verdicts, labels, strict=True)
    client.label([{"record": one.record, "right": right, "note": note} for one, (right, note) in said])
    return RUN


def train(script: str, client: Client, run: str, base: Path, out: Path) -> None:
    command: list[str | Path] = [
        PYTHON,
        EXAMPLES / script,
        "--url",
        client.url,
        "--run",
        run,
        "--base",
        base,
        "--out",
        out,
    ]
    command += ["--epochs", "2", "--rate", "5e-4"]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]


def checked(client: Client, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service's numbers are those of plain transformers."""
    monkeypatch.setenv("TRUEWARD_URL", client.url)
    found = CliRunner().invoke(cli.app, ["models", "check", name, "--json"])
    assert found.exit_code == 0, found.output
    assert all(one["difference"] < 1e-4 for one in json.loads(found.stdout))


def audited(client: Client, verifier: str, model: str, form: str, rows: list[JsonValue]) -> dict[str, JsonValue]:
    subject: JsonValue = {"verifier": verifier, "params": {"model": model}}
    spec: dict[str, JsonValue] = {"kind": "bench", "subject": subject, "format": form, "rows": rows}
    report = client.wait_for_audit(client.start_audit(spec).id, timeout_s=600.0).report
    assert report is not None
    return report.findings


@pytest.fixture
def reward(client: Client, run: str, smollm: Path, tmp_path: Path) -> Iterator[str]:
    train("reward.py", client, run, smollm, tmp_path / "reward")
    client.add_model(ModelEntry(name="my-reward", kind="reward", path=str(tmp_path / "reward")))
    yield "my-reward"
    client.delete_model("my-reward")


@pytest.fixture
def process(client: Client, run: str, smollm: Path, tmp_path: Path) -> Iterator[str]:
    train("process.py", client, run, smollm, tmp_path / "process")
    steps = StepReading(style="separator", separator=SEPARATOR)
    client.add_model(ModelEntry(name="my-process", kind="process", path=str(tmp_path / "process"), steps=steps))
    yield "my-process"
    client.delete_model("my-process")


def test_a_reward_model_prefers_what_the_labels_prefer(
    client: Client, reward: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked(client, reward, monkeypatch)
    held_out: list[JsonValue] = [
        {"prompt": one[0], "chosen": response(one, None), "rejected": response(one, n % 3)}
        for n, one in enumerate(pairs(20, seed=2))
    ]
    assert rate(audited(client, "reward_model", reward, "pairs", held_out), "accuracy") >= 0.9


def test_a_process_model_is_asked_and_audited_step_by_step(
    client: Client, process: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So few labels teach it that most steps are right, and little more: what it finds is not looked at."""
    checked(client, process, monkeypatch)
    held_out: list[JsonValue] = [
        {"prompt": one[0], "steps": [*response(one, wrong).split("\n\n")], "label": -1 if wrong is None else wrong}
        for n, one in enumerate(pairs(20, seed=2))
        for wrong in (None, n % 3)
    ]
    found = audited(client, "process_reward", process, "first_error", held_out)
    assert (found["scored"], found["unparsed"]) == (40, 0)


def rate(findings: dict[str, JsonValue], name: str) -> float:
    share: Any = findings["by_example"]
    return float(share[name]["rate"])
