"""``trueward mcp`` under the official client of the protocol, over stdin and stdout."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.services import Keyed
from trueward import Client
from trueward.cli import app
from trueward.errors import NotInstalled

HERE = Path(__file__).parent
TOOLS = Path(__file__).parents[2] / ".venv-mcp/bin"
SAMPLES: list[dict[str, Any]] = [
    {"response": "\\boxed{5/6}", "reference": "\\frac56"},
    {"response": "\\boxed{2/5}", "reference": "\\frac56"},
]


def session(url: str, key: str, calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": "", "TRUEWARD_API_KEY": key}
    command = [str(TOOLS / "python"), str(HERE / "session.py"), str(TOOLS / "trueward"), url, json.dumps(calls)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


@pytest.mark.assistant
def test_an_assistant_verifies_explains_and_reads_an_audit(keyed: Keyed) -> None:
    project = keyed.project("assistants")
    with Client(keyed.url, api_key=project.key) as client:
        [reward] = client.reward([SAMPLES[0]], recipe="math").rewards
        records = [verdict.record for verdict in client.verify(SAMPLES, verifier="math")]
        client.label([{"record": record, "right": True, "annotator": "ann"} for record in records])
        found = client.wait_for_audit(client.start_audit({"kind": "labelled", "subject": {"verifier": "math"}}).id, 120)
    assert reward.record is not None
    asked: list[tuple[str, dict[str, Any]]] = [
        ("verify", {"samples": SAMPLES, "verifier": "math"}),
        ("explain", {"record": reward.record}),
        ("audit", {"subject": "math"}),
        ("verify", {"samples": SAMPLES, "verifier": "nothing"}),
        ("audit", {"subject": "choice"}),
    ]
    told = session(keyed.url, project.key, asked)
    assert told["tools"] == {
        "verify": ["params", "samples", "verifier"],
        "explain": ["record"],
        "audit": ["subject"],
    }
    judged, explained, audited, refused, none = told["answers"]
    assert [verdict["outcome"] for verdict in judged["told"]["verdicts"]] == ["correct", "incorrect"]
    assert explained["told"]["lines"]
    assert (audited["told"]["audit"], audited["told"]["labels"]) == (found.id, {"human": 2})
    # of three verdicts on two samples: the reward has one of its own
    assert audited["told"]["false_negatives"][0]["rate"] == pytest.approx(1 / 3)
    assert [answer["error"] for answer in told["answers"]] == [False, False, False, True, True]
    assert "nothing" in refused["told"][0]
    assert "no completed audit of 'choice'" in none["told"][0]


@pytest.mark.assistant
def test_a_key_that_may_not_look_is_told_so(keyed: Keyed) -> None:
    told = session(keyed.url, keyed.key("score")["key"], [("audit", {"subject": "math"})])
    [answer] = told["answers"]
    assert answer["error"]
    assert "view" in answer["told"][0]


def test_without_the_package_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueward.commands.mcp.find_spec", lambda name: None)
    done = CliRunner().invoke(app, ["mcp", "--url", "http://127.0.0.1:1"])
    assert isinstance(done.exception, NotInstalled)
    assert "pip install 'trueward[mcp]'" in done.exception.detail
