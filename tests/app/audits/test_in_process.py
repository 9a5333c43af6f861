"""Audits in this process, without a service or records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
import structlog
from pydantic import JsonValue
from typer.testing import CliRunner

from app.audits.in_process import audit_here
from app.path.in_process import open_path
from app.settings import Settings
from trueward.cli import app
from trueward.errors import UnknownVerifier
from trueward.wire.audit import (
    BenchAudit,
    ExploitAudit,
    GivenSamples,
    LabelledAudit,
    MetamorphicAudit,
    Population,
    Subject,
)
from trueward.wire.sample import Sample

MATH = Subject(verifier="math")
SAMPLES = [
    Sample(prompt=f"What is half of {2 * n}?", response=f"\\boxed{{{n}}}", reference=str(n)) for n in range(11, 16)
]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


async def test_hostile_responses_are_judged_without_a_service(settings: Settings) -> None:
    told: list[tuple[int, int]] = []

    async def progress(done: int, total: int) -> None:
        told.append((done, total))

    spec = ExploitAudit(subject=MATH, given=GivenSamples(samples=SAMPLES), probes=["blank", "full_stop"])
    audit = await audit_here(settings, spec, "mine", progress)
    assert (audit.state, audit.name, audit.failure) == ("completed", "mine", None)
    assert audit.report is not None
    found = cast("dict[str, dict[str, JsonValue]]", audit.report.findings["probes"])
    assert (found["blank"]["accepted"], found["full_stop"]["accepted"], found["right_boxed"]["accepted"]) == (0, 0, 5)
    assert list(audit.report.versions) == ["math"]
    assert told[-1] == (5, 5)


async def test_rewrites_and_benchmarks_too(settings: Settings) -> None:
    rewritten = await audit_here(settings, MetamorphicAudit(subject=MATH, given=GivenSamples(samples=SAMPLES)))
    assert rewritten.report is not None
    assert rewritten.report.findings["worst"] == []
    pairs = [{"prompt": "1+1?", "reference": "2", "chosen": "\\boxed{2}", "rejected": "\\boxed{3}"}] * 3
    benched = await audit_here(settings, BenchAudit(subject=MATH, format="pairs", rows=pairs))
    assert (benched.state, benched.failure) == ("completed", None)


@pytest.mark.parametrize(
    "spec",
    [LabelledAudit(subject=MATH), ExploitAudit(subject=MATH, given=GivenSamples(population=Population(run="r1")))],
)
async def test_what_needs_records_says_where_they_are(settings: Settings, spec: LabelledAudit | ExploitAudit) -> None:
    audit = await audit_here(settings, spec)
    assert audit.state == "failed"
    assert "--url" in (audit.failure or "")


async def test_an_unknown_verifier_is_refused(settings: Settings) -> None:
    with pytest.raises(UnknownVerifier):
        await audit_here(
            settings, ExploitAudit(subject=Subject(verifier="nobody"), given=GivenSamples(samples=SAMPLES))
        )


async def test_the_callers_output_is_the_callers(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    """Workers come and go in an audit of hostile responses; what is told of them would stand among its results."""
    before = structlog.get_config()
    async with open_path(settings):
        structlog.get_logger().info("a worker was lost")
        structlog.get_logger().warning("something is wrong")
    said = capsys.readouterr()
    assert said.out == ""
    assert "something is wrong" in said.err
    assert "a worker was lost" not in said.err
    assert structlog.get_config() == before


def test_the_command_needs_no_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEWARD_URL", raising=False)
    monkeypatch.setenv("TRUEWARD_DATA_DIR", str(tmp_path))
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(sample.model_dump_json() + "\n" for sample in SAMPLES))
    command = ["audit", "run", "exploit", "--verifier", "math", "--samples", str(file), "--probe", "blank", "--json"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["state"] == "completed"
    assert CliRunner().invoke(app, [*command, "--no-wait"]).exit_code == 2
