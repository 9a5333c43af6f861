"""The short form of the benchmark of replicas runs, and its claims hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.forms import ran

pytestmark = [pytest.mark.benchmark, pytest.mark.postgres, pytest.mark.redis]


def test_replicas_record_every_verdict_once(tmp_path: Path) -> None:
    targets = ran("replicas", tmp_path)["targets"]
    assert isinstance(targets, dict)
    assert set(targets) == {"one", "one with Redis", "two"}
