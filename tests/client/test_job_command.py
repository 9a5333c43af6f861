"""The command ``trueward jobs``: hands a file over, follows it, and says where to tell of its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client.command import Run, samples
from tests.client.fake_service import FakeService


def test_a_job_from_the_command_line(run: Run, url: str, tmp_path: Path) -> None:
    file = samples(tmp_path / "in.jsonl", [{"response": "a", "reference": "a"}, {"response": "a", "reference": "b"}])
    job = run("jobs", "submit", file, "--verifier", "exact", "--url", url).stdout.strip()
    assert json.loads(run("jobs", "status", job, "--url", url).stdout)["state"] == "running"
    assert json.loads(run("jobs", "wait", job, "--url", url).stdout)["counts"]["done"] == 2
    results = run("jobs", "results", job, "--url", url)
    assert [json.loads(line)["score"] for line in results.stdout.splitlines()] == [1.0, 0.0]
    assert results.exit_code == 1
    assert json.loads(run("jobs", "cancel", job, "--url", url).stdout)["state"] == "cancelled"
    assert run("jobs", "wait", job, "--url", url).exit_code == 4


def test_a_job_s_webhook_is_signed_with_the_secret_of_the_environment(
    run: Run, url: str, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = samples(tmp_path / "in.jsonl", [{"response": "a", "reference": "a"}])
    monkeypatch.setenv("TRUEWARD_WEBHOOK_SECRET", "whsec_c2VjcmV0")
    run("jobs", "submit", file, "--verifier", "exact", "--url", url)
    run("jobs", "submit", file, "--verifier", "exact", "--webhook", "https://ci.example/hook", "--url", url)
    heads = [json.loads(one.raw.partition(b"\n")[0]) for one in service.received if one.path == "/v1/jobs"]
    told = [(head.get("webhook"), head.get("webhook_secret")) for head in heads]
    assert told == [(None, None), ("https://ci.example/hook", "whsec_c2VjcmV0")]


def test_a_job_has_the_parameters_of_its_verifier(run: Run, url: str, service: FakeService, tmp_path: Path) -> None:
    file = samples(tmp_path / "in.jsonl", [{"response": "A", "reference": "a"}])
    assert run("jobs", "submit", file, "--verifier", "exact", "--param", "casefold=true", "--url", url).exit_code == 0
    assert b'"params":{"casefold":true}' in service.received[-1].raw
    assert run("jobs", "submit", file, "--recipe", "math", "--param", "casefold=true", "--url", url).exit_code == 2
