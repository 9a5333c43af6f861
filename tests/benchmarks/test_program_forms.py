"""The short forms of the benchmarks of programs run, and what they claim holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.test_forms import ran

pytestmark = pytest.mark.image


def test_sandbox_measures_every_contestant_and_judges_every_aim(tmp_path: Path) -> None:
    document = ran("sandbox", tmp_path)
    rates, aims = document["rates"], document["aims"]
    assert isinstance(rates, dict)
    assert isinstance(aims, list)
    assert {"bare process", "bubblewrap", "docker run", "Trueward local", "Trueward docker"} < set(rates)
    assert len(aims) == 6


@pytest.mark.parametrize("name", ["runs", "exploits", "agreement"])
def test_its_claims_hold(name: str, tmp_path: Path) -> None:
    claims = ran(name, tmp_path)["claims"]
    assert isinstance(claims, dict)
    assert claims
    assert all(claims.values())
