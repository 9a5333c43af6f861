"""The short forms of the benchmarks of programs run, and what they claim holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.forms import ran, ran_apart

pytestmark = [pytest.mark.benchmark, pytest.mark.image, pytest.mark.toolchain]


def test_sandbox_measures_every_contestant_and_judges_every_aim(tmp_path: Path) -> None:
    document = ran("sandbox", tmp_path)
    rates, aims = document["rates"], document["aims"]
    assert isinstance(rates, dict)
    assert isinstance(aims, list)
    assert {"bare process", "bubblewrap", "docker run", "Trueward local", "Trueward docker"} < set(rates)
    assert len(aims) == 6


def test_runs_leave_nothing_behind_on_either_backend(tmp_path: Path) -> None:
    document = ran_apart("runs", tmp_path)  # it counts what its process has
    for backend in ("local", "docker"):
        measured = document[backend]
        assert isinstance(measured, dict)
        assert isinstance(measured["outcomes"], dict)
        assert {kind.partition(":")[0] for kind in measured["outcomes"]} == {"hostile", "honest"}


def test_hangers_of_each_kind_are_told_of(tmp_path: Path) -> None:
    document = ran("hangers", tmp_path)
    found, aims = document["found"], document["aims"]
    assert isinstance(found, list)
    assert isinstance(aims, list)
    assert (len(found), len(aims)) == (1, 2)


def test_decoding_is_measured_for_each_value(tmp_path: Path) -> None:
    document = ran("decoding", tmp_path)
    found = document["found"]
    assert isinstance(found, list)
    assert len(found) == 8


def test_the_lag_of_the_event_loop_is_measured_beside_several_kinds(tmp_path: Path) -> None:
    document = ran("lag", tmp_path)
    found = document["found"]
    assert isinstance(found, list)
    assert len(found) == 5


@pytest.mark.parametrize("name", ["exploits", "agreement"])
def test_its_claims_hold(name: str, tmp_path: Path) -> None:
    ran(name, tmp_path)
