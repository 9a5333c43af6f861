"""The short form of each benchmark runs, keeps its claims, and leaves a document that says what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import JsonValue

ROOT = Path(__file__).parents[2]
Document = dict[str, JsonValue]


def ran(name: str, results: Path) -> Document:
    command = [sys.executable, "-m", f"benchmarks.{name}", "--short", "--results", str(results)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    document: Document = json.loads((results / f"{name}.short.json").read_text())
    assert {"benchmark", "form", "at", "commit", "python", "machine", "claims", "scale"} <= document.keys()
    return document


def test_path_measures_every_target_and_judges_every_aim(tmp_path: Path) -> None:
    document = ran("path", tmp_path)
    targets, aims = document["targets"], document["aims"]
    assert isinstance(targets, dict)
    assert isinstance(aims, list)
    assert len(targets) == 9
    assert len(aims) == 3
    for name, target in targets.items():
        assert isinstance(target, dict)
        median = target["median"]
        assert isinstance(median, dict)
        assert median["failed"] == 0, name
        assert name.startswith("empty") or median["right"] == 1.0, name


def test_trainers_sends_every_call_of_both_protocols_and_judges_every_aim(tmp_path: Path) -> None:
    document = ran("trainers", tmp_path)
    targets, aims, scale, claims = (document[name] for name in ("targets", "aims", "scale", "claims"))
    assert isinstance(targets, dict)
    assert isinstance(aims, list)
    assert isinstance(scale, dict)
    assert isinstance(claims, dict)
    assert len(targets) == 9
    assert len(aims) == 4
    assert claims
    assert all(claims.values())
    for name, target in targets.items():
        assert isinstance(target, dict)
        median = target["median"]
        assert isinstance(median, dict)
        counts = [kind["count"] for kind in (median["exact"], median["symbolic"]) if isinstance(kind, dict)]
        assert sum(count for count in counts if isinstance(count, int)) == scale["calls"], name
        assert median["failed"] == 0, name
        assert median["right"] == 1.0, name
        assert median["client_cpu_per_sample_s"] != 0, name


@pytest.mark.parametrize(
    "name", ["hangs", "soak", "overload", "million", "audit", "models", "judges", "pages", "replicas", "guessing"]
)
def test_its_claims_hold(name: str, tmp_path: Path) -> None:
    claims = ran(name, tmp_path)["claims"]
    assert isinstance(claims, dict)
    assert claims
    assert all(claims.values())
